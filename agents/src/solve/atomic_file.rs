//! Files that are written completely or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file under a temporary name beside it, then renames it. If this is interrupted, the old file is still
/// there. Links are followed. Devices and pipes are written to directly.
///
/// Every call has its own temporary name.
pub fn write(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let path = &target_of(path)?;
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
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

/// The path at the end of a chain of links, whether there is a file or not.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("'{}' is a link to itself", path.display())))
}

/// A longer chain of links is taken for a circle.
const MOST_LINKS: usize = 40;

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

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_to() {
        use std::os::unix::fs::{FileTypeExt as _, symlink};

        let folder = env::temp_dir().join(format!("stier-links-{}", process::id()));
        fs::create_dir_all(folder.join("inner")).unwrap();
        let (link, next, file) = (folder.join("link"), folder.join("inner/next"), folder.join("inner/file"));
        symlink("inner/next", &link).unwrap();
        symlink("file", &next).unwrap();
        for text in ["new", "again"] {
            write(&link, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read(&file).unwrap(), text.as_bytes());
            assert!([&link, &next].iter().all(|path| path.is_symlink()));
        }
        let circle = folder.join("circle");
        symlink("circle", &circle).unwrap();
        assert!(write(&circle, |_| Ok(())).is_err());
        let device = folder.join("device");
        symlink("/dev/null", &device).unwrap();
        write(&device, |out| out.write_all(b"nothing")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        fs::remove_dir_all(&folder).unwrap();
    }
}
