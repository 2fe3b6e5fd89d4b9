//! The thread that writes chunks, so that a run does not wait for the disk.
//!
//! Chunks are encoded, written, flushed and renamed one after another in the order they were given;
//! which bytes they hold does not depend on it. A few wait at most: a run that computes faster than
//! the disk takes waits for it. After a fault nothing more is written, and who gives the next chunk
//! hears of it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::chunk;
use super::column::{Column, ColumnValues};
use super::error::RecordError;

/// Chunks that wait at most.
const QUEUE: usize = 3;

/// What comes back from the thread for a table.
#[derive(Debug, Default)]
pub(super) struct WrittenChunks {
    /// Checksums of the chunks written, in order.
    pub checksums: Vec<u32>,
    /// Empty columns, to be filled again.
    pub spare: Vec<Vec<ColumnValues>>,
}

/// What a table shares with the thread.
pub(super) type SharedChunks = Arc<Mutex<WrittenChunks>>;

/// Locks what is shared: nothing there is ever half done.
pub(super) fn hold<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A chunk to be written.
pub(super) struct ChunkJob {
    pub table: String,
    pub number: usize,
    pub columns: Arc<[Column]>,
    pub values: Vec<ColumnValues>,
    pub back: SharedChunks,
}

enum WriterCommand {
    Write(ChunkJob),
    /// Answer when everything before is done.
    Flush(SyncSender<()>),
}

/// Writes chunks of one directory.
#[derive(Debug)]
pub(super) struct ChunkWriter {
    directory: PathBuf,
    orders: Option<SyncSender<WriterCommand>>,
    thread: Option<JoinHandle<()>>,
    fault: Arc<Mutex<Option<RecordError>>>,
}

impl ChunkWriter {
    /// Starts the thread; where the system gives none, chunks are written at once.
    pub fn new(directory: PathBuf) -> Self {
        let fault = Arc::default();
        let (orders, received) = sync_channel(QUEUE);
        let worker = Worker {
            directory: directory.clone(),
            fault: Arc::clone(&fault),
        };
        let thread = thread::Builder::new().name("records".into());
        let thread = thread.spawn(move || worker.run(&received)).ok();
        Self {
            directory,
            orders: thread.is_some().then_some(orders),
            thread,
            fault,
        }
    }

    /// Gives a chunk away.
    ///
    /// # Errors
    /// An earlier chunk could not be written.
    pub fn submit(&self, job: ChunkJob) -> Result<(), RecordError> {
        self.check()?;
        match &self.orders {
            Some(orders) => orders
                .send(WriterCommand::Write(job))
                .map_err(|_| self.gone()),
            None => write(&self.directory, job),
        }
    }

    /// Waits until everything given is on the disk.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn flush(&self) -> Result<(), RecordError> {
        if let Some(orders) = &self.orders {
            let (answer, done) = sync_channel(1);
            orders
                .send(WriterCommand::Flush(answer))
                .map_err(|_| self.gone())?;
            done.recv().map_err(|_| self.gone())?;
        }
        self.check()
    }

    /// What went wrong so far.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn check(&self) -> Result<(), RecordError> {
        match &*hold(&self.fault) {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }

    fn gone(&self) -> RecordError {
        let reason = std::io::Error::other("the thread that writes has ended");
        RecordError::fault(&self.directory, "write to this directory", &reason)
    }
}

impl Drop for ChunkWriter {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and what it did not write is missing in the manifest.
            let _ = thread.join();
        }
    }
}

struct Worker {
    directory: PathBuf,
    fault: Arc<Mutex<Option<RecordError>>>,
}

impl Worker {
    fn run(&self, orders: &Receiver<WriterCommand>) {
        while let Ok(order) = orders.recv() {
            match order {
                WriterCommand::Write(job) => {
                    if hold(&self.fault).is_none()
                        && let Err(error) = write(&self.directory, job)
                    {
                        *hold(&self.fault) = Some(error);
                    }
                }
                WriterCommand::Flush(answer) => {
                    // Who asked may have gone away.
                    let _ = answer.send(());
                }
            }
        }
    }
}

/// Writes a chunk and gives its columns back.
pub(super) fn write(directory: &Path, job: ChunkJob) -> Result<(), RecordError> {
    let ChunkJob {
        table,
        number,
        columns,
        mut values,
        back,
    } = job;
    let checksum = chunk::write(directory, &table, number, &columns, &values)?;
    values.iter_mut().for_each(ColumnValues::clear);
    let mut back = hold(&back);
    back.checksums.push(checksum);
    back.spare.push(values);
    Ok(())
}
