//! Writer thread for chunks, so that a run does not wait for the disk.
//!
//! Chunks are encoded, written, flushed and renamed one after another in the order of submission; their bytes do not
//! depend on the timing. The queue is bounded: a run that computes faster than the disk writes waits. After a failure
//! nothing more is written, and the next submission returns the error.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::chunk;
use super::column::{Column, ColumnValues};
use super::error::RecordError;

/// Capacity of the queue, in chunks.
const QUEUE: usize = 3;

/// Results of the writer thread for a table.
#[derive(Debug, Default)]
pub(super) struct WrittenChunks {
    /// Checksums of the chunks written, in order.
    pub checksums: Vec<u32>,
    /// Cleared columns, reused for the next chunk.
    pub spare: Vec<Vec<ColumnValues>>,
}

/// Shared between a table and the writer thread.
pub(super) type SharedChunks = Arc<Mutex<WrittenChunks>>;

/// Locks a mutex, also after a panic: the data is never left half updated.
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
    /// Acknowledge when everything before is done.
    Flush(SyncSender<()>),
}

/// Writer thread for the chunks of one directory.
#[derive(Debug)]
pub(super) struct ChunkWriter {
    directory: PathBuf,
    orders: Option<SyncSender<WriterCommand>>,
    thread: Option<JoinHandle<()>>,
    fault: Arc<Mutex<Option<RecordError>>>,
}

impl ChunkWriter {
    /// Starts the thread; where the operating system refuses one, chunks are written synchronously.
    pub fn new(directory: PathBuf) -> Self {
        let fault = Arc::default();
        let (orders, received) = sync_channel(QUEUE);
        let worker = Worker {
            directory: directory.clone(),
            fault: Arc::clone(&fault),
        };
        // Without a thread there is no queue, and chunks are written at once.
        let thread = thread::Builder::new().name("records".into());
        let thread = thread.spawn(move || worker.run(&received)).ok();
        Self {
            directory,
            orders: thread.is_some().then_some(orders),
            thread,
            fault,
        }
    }

    /// Submits a chunk.
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

    /// Waits until every submitted chunk is on the disk.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn flush(&self) -> Result<(), RecordError> {
        if let Some(orders) = &self.orders {
            // The acknowledgement comes after all chunks submitted before.
            let (answer, done) = sync_channel(1);
            orders
                .send(WriterCommand::Flush(answer))
                .map_err(|_| self.gone())?;
            done.recv().map_err(|_| self.gone())?;
        }
        self.check()
    }

    /// The first failure so far.
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
        // Closing the queue ends the thread.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and the chunks it did not write are missing in the manifest.
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
                    // After the first failure nothing more is written.
                    if hold(&self.fault).is_none()
                        && let Err(error) = write(&self.directory, job)
                    {
                        *hold(&self.fault) = Some(error);
                    }
                }
                WriterCommand::Flush(answer) => {
                    // The requester may have gone away.
                    let _ = answer.send(());
                }
            }
        }
    }
}

/// Writes a chunk and returns its columns for reuse.
pub(super) fn write(directory: &Path, job: ChunkJob) -> Result<(), RecordError> {
    let ChunkJob {
        table,
        number,
        columns,
        mut values,
        back,
    } = job;
    let checksum = chunk::write(directory, &table, number, &columns, &values)?;
    // Columns keep their capacity for the next chunk.
    values.iter_mut().for_each(ColumnValues::clear);
    let mut back = hold(&back);
    back.checksums.push(checksum);
    back.spare.push(values);
    Ok(())
}
