//! JSON: a reader that knows places, a writer, and values of a spec to and from it.
