//! Files that are there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Writes a file under a temporary name beside it and renames it when all is on the disk: whatever interrupts this, there is the
/// old file or the new one.
pub fn write(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.file_name().map(OsString::from).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("'{}' is no name of a file", path.display()))
    })?;
    name.push(format!(".{}.tmp", process::id()));
    let temporary: PathBuf = path.with_file_name(name);
    let write_all = || {
        let mut out = BufWriter::new(OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)
    };
    write_all().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}
