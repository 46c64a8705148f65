//! Plans: recipes that build models with no search.
