//! Files that are written completely or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file under a temporary name beside it, then renames it. If this is interrupted, the old file is still
/// there.
///
/// Every call has its own temporary name.
pub fn write(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().map(OsString::from).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("'{}' is not a file name", path.display()))
    })?;
    name.push(format!(".{}.{}.tmp", process::id(), CALLS.fetch_add(1, Ordering::Relaxed)));
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::{env, fs, process};

    use super::write;

    #[test]
    fn overlapping_writes_of_one_file_do_not_collide() {
        let folder = env::temp_dir().join(format!("stier-atomic-file-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        write(&path, |outer| {
            outer.write_all(b"outer")?;
            // A second call begins and ends during the first, as it might on another thread.
            write(&path, |inner| inner.write_all(b"inner"))?;
            assert_eq!(fs::read(&path)?, b"inner");
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"outer");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
