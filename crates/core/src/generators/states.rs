//! Types with a state: atomics, cells that are filled once, answers of futures and loops, errors of the system. And holders
//! of what has no size.

use std::cell::OnceCell;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io::{self, Cursor, ErrorKind};
use std::marker::PhantomPinned;
use std::net::Shutdown;
use std::num::FpCategory;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{self, AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicIsize};
#[cfg(target_has_atomic = "64")]
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicUsize};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use super::choosing::pick;
use crate::{Generate, Part, Source, Spaces};

macro_rules! atomics {
    ($($(#[$cfg:meta])* $t:ident($base:ty))*) => {$(
        $(#[$cfg])*
        /// As the number or truth value that it holds.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// use std::sync::atomic::{AtomicU32, Ordering};
        /// let counter: AtomicU32 = sample(&any(), 7);
        /// let before = counter.fetch_add(1, Ordering::Relaxed);
        /// assert_eq!(counter.into_inner(), before.wrapping_add(1));
        /// ```
        impl Generate for $t {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                <$base>::generate(source).into()
            }

            fn space(spaces: &mut Spaces) -> Part {
                <$base>::space(spaces)
            }
        }
    )*};
}

atomics! {
    AtomicBool(bool)
    AtomicI8(i8)
    AtomicI16(i16)
    AtomicI32(i32)
    #[cfg(target_has_atomic = "64")]
    AtomicI64(i64)
    AtomicIsize(isize)
    AtomicU8(u8)
    AtomicU16(u16)
    AtomicU32(u32)
    #[cfg(target_has_atomic = "64")]
    AtomicU64(u64)
    AtomicUsize(usize)
}

/// Types that are drawn as another, of which they are made.
macro_rules! made_of {
    ($($(#[$doc:meta])* [$($param:ident)*] $t:ty: $base:ty, $make:expr;)*) => {$(
        $(#[$doc])*
        impl<$($param: Generate),*> Generate for $t {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                $make(<$base>::generate(source))
            }

            fn space(spaces: &mut Spaces) -> Part {
                <$base>::space(spaces)
            }
        }
    )*};
}

made_of! {
    /// Empty, or filled.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// use std::cell::OnceCell;
    /// let cell: OnceCell<u8> = sample(&any(), 7);
    /// let was = cell.get().copied();
    /// assert_eq!(*cell.get_or_init(|| 3), was.unwrap_or(3));
    /// ```
    [T] OnceCell<T>: Option<T>, |it: Option<T>| it.map_or_else(OnceCell::new, OnceCell::from);
    /// Empty, or filled.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// let lock: std::sync::OnceLock<u8> = sample(&any(), 7);
    /// assert_eq!(lock.set(3).is_ok(), *lock.get().unwrap() == 3);
    /// ```
    [T] OnceLock<T>: Option<T>, |it: Option<T>| it.map_or_else(OnceLock::new, OnceLock::from);
    /// Pending, or ready with a value.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// use std::task::Poll;
    /// let poll: Poll<u8> = sample(&any(), 7);
    /// assert_ne!(poll.is_ready(), poll.is_pending());
    /// ```
    [T] Poll<T>: Option<T>, |it: Option<T>| it.map_or(Poll::Pending, Poll::Ready);
    /// To go on is simpler than to break.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// use std::ops::ControlFlow;
    /// let flow: ControlFlow<u8, char> = sample(&any(), 7);
    /// assert_ne!(flow.is_break(), flow.is_continue());
    /// ```
    [B C] ControlFlow<B, C>: Result<C, B>, |it: Result<C, B>| match it {
        Ok(it) => ControlFlow::Continue(it),
        Err(it) => ControlFlow::Break(it),
    };
    /// ```
    /// use probity_core::{any, sample};
    /// use std::pin::Pin;
    /// let pinned: Pin<Box<u8>> = sample(&any(), 7);
    /// assert!(*pinned <= u8::MAX);
    /// ```
    [T] Pin<Box<T>>: T, Box::pin;
    [T] Pin<Rc<T>>: T, Rc::pin;
    [T] Pin<Arc<T>>: T, Arc::pin;
    [T] AssertUnwindSafe<T>: T, AssertUnwindSafe;
    /// At its beginning.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// use std::io::{Cursor, Read};
    /// let mut reader: Cursor<Vec<u8>> = sample(&any(), 7);
    /// let mut all = Vec::new();
    /// reader.read_to_end(&mut all).unwrap();
    /// assert_eq!(reader.into_inner(), all);
    /// ```
    [T] Cursor<T>: T, Cursor::new;
    [] PhantomPinned: (), |()| PhantomPinned;
    /// An error with nothing but its kind.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// let error: std::io::Error = sample(&any(), 7);
    /// assert!(!error.to_string().is_empty());
    /// ```
    [] io::Error: ErrorKind, io::Error::from;
    /// ```
    /// use probity_core::{any, sample};
    /// use std::path::Path;
    /// let path: Box<Path> = sample(&any(), 7);
    /// assert_eq!(path.join("a").parent(), Some(&*path));
    /// ```
    [] Box<Path>: PathBuf, PathBuf::into;
    [] Rc<Path>: PathBuf, PathBuf::into;
    [] Arc<Path>: PathBuf, PathBuf::into;
    [] Box<OsStr>: OsString, OsString::into;
    [] Rc<OsStr>: OsString, OsString::into;
    [] Arc<OsStr>: OsString, OsString::into;
    [] Box<CStr>: CString, CString::into;
    [] Rc<CStr>: CString, CString::into;
    [] Arc<CStr>: CString, CString::into;
}

/// Types with a few values, the simplest first.
macro_rules! listed {
    ($($(#[$doc:meta])* $t:ty: $list:ident = [$($value:path),* $(,)?];)*) => {$(
        const $list: &[$t] = &[$($value),*];

        $(#[$doc])*
        impl Generate for $t {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                $list[source.pick($list.len())]
            }

            fn space(spaces: &mut Spaces) -> Part {
                pick(spaces, $list.len())
            }
        }
    )*};
}

listed! {
    /// The strongest first: it is the one that every operation takes.
    ///
    /// ```
    /// use probity_core::{any, sample};
    /// use std::sync::atomic::{AtomicU8, Ordering};
    /// let order: Ordering = sample(&any(), 7);
    /// assert_eq!(AtomicU8::new(0).swap(1, order), 0);
    /// ```
    atomic::Ordering: ORDERINGS = [
        atomic::Ordering::SeqCst,
        atomic::Ordering::Relaxed,
        atomic::Ordering::Acquire,
        atomic::Ordering::Release,
        atomic::Ordering::AcqRel,
    ];
    /// ```
    /// use probity_core::{any, sample};
    /// use std::num::FpCategory;
    /// let kind: FpCategory = sample(&any(), 7);
    /// assert_eq!(kind == FpCategory::Zero, kind == 0.0f64.classify());
    /// ```
    FpCategory: CATEGORIES = [
        FpCategory::Zero,
        FpCategory::Normal,
        FpCategory::Subnormal,
        FpCategory::Infinite,
        FpCategory::Nan,
    ];
    Shutdown: SHUTDOWNS = [Shutdown::Both, Shutdown::Read, Shutdown::Write];
    /// ```
    /// use probity_core::{any, sample};
    /// use std::io::{Error, ErrorKind};
    /// let kind: ErrorKind = sample(&any(), 7);
    /// assert_eq!(Error::from(kind).kind(), kind);
    /// ```
    ErrorKind: ERRORS = [
        ErrorKind::Other,
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::AlreadyExists,
        ErrorKind::WouldBlock,
        ErrorKind::Interrupted,
        ErrorKind::TimedOut,
        ErrorKind::UnexpectedEof,
        ErrorKind::WriteZero,
        ErrorKind::InvalidInput,
        ErrorKind::InvalidData,
        ErrorKind::BrokenPipe,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::NotConnected,
        ErrorKind::AddrInUse,
        ErrorKind::AddrNotAvailable,
        ErrorKind::NotADirectory,
        ErrorKind::IsADirectory,
        ErrorKind::DirectoryNotEmpty,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::StorageFull,
        ErrorKind::FileTooLarge,
        ErrorKind::ResourceBusy,
        ErrorKind::Deadlock,
        ErrorKind::Unsupported,
        ErrorKind::OutOfMemory,
    ];
}
