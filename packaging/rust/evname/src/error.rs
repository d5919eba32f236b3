use evname_sys as sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The kind of a failure, to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text or value can't be used as it is: a syntax error, say.
    InvalidArgument,
    /// No such event, CPU, model, PMU or file.
    NotFound,
    /// A number does not fit its destination.
    OutOfRange,
    /// Bytes of a file contradict its format.
    Corrupt,
    /// The operating system reported an error.
    Io,
    /// Well formed, but this build can't do it.
    Unsupported,
    /// There is not enough memory.
    NoMemory,
    /// A bug in the library.
    Internal,
}

/// A failure, described for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    pub kind: ErrorKind,
    /// What went wrong, one sentence.
    pub message: String,
    /// File, file:line or file@offset; may be empty.
    pub place: String,
    /// What to try next; may be empty.
    pub hint: String,
    /// Of the fault in the text or file, in bytes.
    pub offset: Option<u64>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)?;
        if self.hint.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.hint)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), place: String::new(), hint: String::new(), offset: None }
    }

    pub(crate) fn of_status(status: c_int) -> Error {
        // SAFETY: the text is static, for any number.
        let text = unsafe { text(sys::evname_status_text(status)) };
        Error::new(kind_of(status), text)
    }
}

fn kind_of(status: c_int) -> ErrorKind {
    match status as sys::evname_status {
        sys::EVNAME_INVALID_ARGUMENT => ErrorKind::InvalidArgument,
        sys::EVNAME_NOT_FOUND => ErrorKind::NotFound,
        sys::EVNAME_OUT_OF_RANGE => ErrorKind::OutOfRange,
        sys::EVNAME_CORRUPT => ErrorKind::Corrupt,
        sys::EVNAME_IO => ErrorKind::Io,
        sys::EVNAME_UNSUPPORTED => ErrorKind::Unsupported,
        sys::EVNAME_NO_MEMORY => ErrorKind::NoMemory,
        _ => ErrorKind::Internal,
    }
}

/// Calls a function of the library with a place for its error.
pub(crate) fn call(function: impl FnOnce(&mut sys::evname_error) -> c_int) -> crate::Result<()> {
    let mut error = sys::evname_error::default();
    let status = function(&mut error);
    if status == sys::EVNAME_OK as c_int {
        return Ok(());
    }
    // SAFETY: the library ends each text with NUL.
    let (message, place, hint) =
        unsafe { (text(error.message.as_ptr()), text(error.where_.as_ptr()), text(error.hint.as_ptr())) };
    let offset = if error.offset == u64::MAX { None } else { Some(error.offset) };
    Err(Error { kind: kind_of(status), message, place, hint, offset })
}

/// A copy of the library's text; bytes that are no UTF-8 become U+FFFD.
///
/// # Safety
/// `from` ends with NUL.
pub(crate) unsafe fn text(from: *const c_char) -> String {
    CStr::from_ptr(from).to_string_lossy().into_owned()
}

/// Text for the library.
pub(crate) fn c_text(from: &str) -> crate::Result<CString> {
    c_bytes(from.as_bytes())
}

/// A path for the library.
pub(crate) fn c_path(from: &Path) -> crate::Result<CString> {
    c_bytes(from.as_os_str().as_bytes())
}

fn c_bytes(from: &[u8]) -> crate::Result<CString> {
    CString::new(from).map_err(|nul| Error {
        offset: Some(nul.nul_position() as u64),
        ..Error::new(ErrorKind::InvalidArgument, "the text has a NUL in it")
    })
}

/// Reads a list of texts up to the empty one.
pub(crate) fn texts(get: impl Fn(usize) -> *const c_char) -> Vec<String> {
    // SAFETY: the library ends each text with NUL.
    (0..).map(|index| unsafe { text(get(index)) }).take_while(|found| !found.is_empty()).collect()
}
