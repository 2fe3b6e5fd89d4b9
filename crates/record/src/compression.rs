//! Compression, encodings and key-value metadata of a Parquet file.
//!
//! Every Parquet reader must be able to read the files, so only the encodings of the first version of the format are
//! used: plain, and dictionaries with run lengths. Others compress integers better but are read wrongly, without an
//! error, by at least one reader in use.

use parquet::basic::{Compression, GzipLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use percuss_scene::TableCompression;

use super::column::{Column, ColumnType, ColumnValues};
use super::format::SCHEMA;

/// The codec of Parquet.
fn codec(compression: TableCompression) -> Compression {
    match compression {
        TableCompression::Snappy => Compression::SNAPPY,
        // The older LZ4 of the format has two framings that a file does not distinguish.
        TableCompression::Lz4 => Compression::LZ4_RAW,
        // Beyond the fourth level numbers hardly shrink and take several times as long.
        TableCompression::Gzip => Compression::GZIP(GzipLevel::try_new(4).unwrap_or_default()),
        TableCompression::None => Compression::UNCOMPRESSED,
    }
}

/// Integer columns: a dictionary that grows beyond this many bytes is replaced by plain values. A quarter of the rows
/// of a full chunk.
const DICTIONARY: usize = super::CHUNK_ROWS / 4 * size_of::<i64>();

/// Parquet writer properties of a chunk.
pub(super) fn properties(
    table: &str,
    columns: &[Column],
    values: &[ColumnValues],
) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("percuss ", env!("CARGO_PKG_VERSION")).into())
        .set_key_value_metadata(Some(notes(table, columns)))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(false);
    for (column, values) in columns.iter().zip(values) {
        // A path, and not a name to be split at its full stops.
        let path = ColumnPath::new(vec![column.name.clone()]);
        let codec = codec(column.compression);
        properties = properties.set_column_compression(path.clone(), codec);
        let repeated = match values {
            // Names repeat, and so do times where a step has many rows.
            ColumnValues::Text(_) => true,
            ColumnValues::Real(all) => repeats(all),
            ColumnValues::Integer(all) => few(all),
            ColumnValues::Optional(_) | ColumnValues::Truth(_) => false,
        };
        properties = properties.set_column_dictionary_enabled(path.clone(), repeated);
        if column.kind == ColumnType::Integer {
            properties = properties.set_column_dictionary_page_size_limit(path, DICTIONARY);
        }
    }
    properties.build()
}

/// Key-value metadata, for readers without `run.json`.
fn notes(table: &str, columns: &[Column]) -> Vec<KeyValue> {
    let columns = serde_json::to_string(columns).unwrap_or_default();
    vec![
        KeyValue::new("percuss.schema".into(), SCHEMA.to_string()),
        KeyValue::new("percuss.table".into(), table.to_string()),
        KeyValue::new("percuss.columns".into(), columns),
    ]
}

/// Whether most values equal the one before.
fn repeats(all: &[f64]) -> bool {
    let same = all.windows(2).filter(|w| w[0].to_bits() == w[1].to_bits());
    2 * same.count() > all.len()
}

/// Whether a dictionary saves space: there are few distinct values, or the values are so scattered that counting them
/// costs more than a dictionary that is given up.
fn few(all: &[i64]) -> bool {
    let (Some(&low), Some(&high)) = (all.iter().min(), all.iter().max()) else {
        return false;
    };
    let span = high.wrapping_sub(low) as u64;
    if span > 8 * all.len() as u64 {
        return true;
    }
    // Bit set over the range of values.
    let mut seen = vec![0_u64; span as usize / 64 + 1];
    for x in all {
        let bit = x.wrapping_sub(low) as u64;
        seen[(bit / 64) as usize] |= 1 << (bit % 64);
    }
    let different: u32 = seen.iter().map(|word| word.count_ones()).sum();
    4 * different as usize <= all.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use percuss_scene::TableCompression;

    #[test]
    fn dictionaries_are_for_values_that_repeat() {
        let steps: Vec<i64> = (0..1000).collect();
        assert!(!few(&steps));
        let bodies: Vec<i64> = (0..1000).map(|k| k % 100).collect();
        assert!(few(&bodies));
        // Far apart, the extremes of the type included: nothing overflows.
        assert!(few(&[i64::MIN, 0, i64::MAX]));
        assert!(!few(&[]));
        assert!(repeats(&[1.0, 1.0, 1.0, 1.0, 2.0]));
        assert!(!repeats(&[1.0, 2.0, 3.0, 3.0]));
    }

    #[test]
    fn every_compression_has_a_name_and_the_first_is_the_usual_one() {
        for (name, packing) in TableCompression::ALL {
            assert_eq!(packing.name(), name);
            assert_eq!(packing.is_default(), name == "snappy");
        }
    }
}
