//! VTK PolyData in the XML format, arrays appended as raw bytes.
//!
//! ```text
//! <VTKFile …> header: names, types and offsets of the arrays
//! _           then for every array: its length in bytes (UInt64), its bytes, little-endian
//! ```

use std::io::{self, Write};

/// The values of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum ArrayData {
    /// Float64.
    Real(Vec<f64>),
    /// Int64.
    Integer(Vec<i64>),
}

/// A named array over points or cells.
#[derive(Debug, Clone, PartialEq)]
pub struct DataArray {
    /// Its name.
    pub name: &'static str,
    /// Number of components for each point or cell.
    pub components: usize,
    /// The values, one point or cell after the other.
    pub data: ArrayData,
}

impl DataArray {
    /// An integer array.
    pub fn integers(name: &'static str, values: Vec<i64>) -> Self {
        Self {
            name,
            components: 1,
            data: ArrayData::Integer(values),
        }
    }

    /// A scalar array.
    pub fn reals(name: &'static str, values: Vec<f64>) -> Self {
        Self {
            name,
            components: 1,
            data: ArrayData::Real(values),
        }
    }

    /// An array of vectors with N components.
    pub fn vectors<const N: usize>(name: &'static str, values: &[[f64; N]]) -> Self {
        Self {
            name,
            components: N,
            data: ArrayData::Real(values.concat()),
        }
    }
}

/// Cells of one kind: point indices of each, one cell after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    connectivity: Vec<i64>,
    /// End of each cell in the list of point indices.
    offsets: Vec<i64>,
}

impl Cells {
    /// Adds a cell of points counted from `first`.
    pub fn push(&mut self, first: usize, corners: impl IntoIterator<Item = usize>) {
        let corners = corners.into_iter().map(|k| (first + k) as i64);
        self.connectivity.extend(corners);
        self.offsets.push(self.connectivity.len() as i64);
    }

    /// Number of cells.
    fn len(&self) -> usize {
        self.offsets.len()
    }
}

/// Points, and the cells made of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolyData {
    /// The points.
    pub points: Vec<[f64; 3]>,
    /// Vertex cells.
    pub verts: Cells,
    /// Polyline cells.
    pub lines: Cells,
    /// Polygon cells.
    pub polys: Cells,
    /// Arrays over the points.
    pub point_data: Vec<DataArray>,
    /// Arrays over the cells: vertices, lines, polygons, in this order.
    pub cell_data: Vec<DataArray>,
}

/// The XML header as it grows, and the arrays it refers to.
struct File<'a> {
    heading: String,
    arrays: Vec<Bytes<'a>>,
    offset: usize,
}

enum Bytes<'a> {
    Real(&'a [f64]),
    Points(&'a [[f64; 3]]),
    Integer(&'a [i64]),
}

impl Bytes<'_> {
    fn len(&self) -> usize {
        8 * match self {
            Self::Real(v) => v.len(),
            Self::Points(v) => 3 * v.len(),
            Self::Integer(v) => v.len(),
        }
    }
}

impl<'a> File<'a> {
    fn array(&mut self, name: &str, components: usize, tuples: &str, bytes: Bytes<'a>) {
        let kind = match bytes {
            Bytes::Integer(_) => "Int64",
            Bytes::Real(_) | Bytes::Points(_) => "Float64",
        };
        self.heading += &format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\"{tuples} \
             format=\"appended\" offset=\"{}\"/>\n",
            self.offset
        );
        // Offsets count the length prefix of each array.
        self.offset += size_of::<u64>() + bytes.len();
        self.arrays.push(bytes);
    }

    fn data(&mut self, part: &str, arrays: &'a [DataArray]) {
        self.heading += &format!("<{part}>\n");
        for array in arrays {
            let bytes = match &array.data {
                ArrayData::Real(v) => Bytes::Real(v),
                ArrayData::Integer(v) => Bytes::Integer(v),
            };
            self.array(array.name, array.components, "", bytes);
        }
        self.heading += &format!("</{part}>\n");
    }

    fn cells(&mut self, part: &str, cells: &'a Cells) {
        self.heading += &format!("<{part}>\n");
        // Cells as lists of point indices and ends.
        let both = [
            ("connectivity", &cells.connectivity),
            ("offsets", &cells.offsets),
        ];
        for (name, values) in both {
            self.array(name, 1, "", Bytes::Integer(values));
        }
        self.heading += &format!("</{part}>\n");
    }
}

impl PolyData {
    /// Writes the data set as of time `t`.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn write(&self, t: f64, out: &mut impl Write) -> io::Result<()> {
        let time = [t];
        let mut file = File {
            heading: "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" \
                      byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
                .into(),
            arrays: Vec::new(),
            offset: 0,
        };
        // Header: time, counts, then the arrays in the order in which they are appended.
        file.array("TimeValue", 1, " NumberOfTuples=\"1\"", Bytes::Real(&time));
        file.heading += &format!(
            "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
            self.points.len(),
            self.verts.len(),
            self.lines.len(),
            self.polys.len()
        );
        file.data("PointData", &self.point_data);
        file.data("CellData", &self.cell_data);
        file.heading += "<Points>\n";
        file.array("Points", 3, "", Bytes::Points(&self.points));
        file.heading += "</Points>\n";
        file.cells("Verts", &self.verts);
        file.cells("Lines", &self.lines);
        file.cells("Polys", &self.polys);
        file.heading += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        // Appended raw data, each array with its length.
        out.write_all(file.heading.as_bytes())?;
        for bytes in &file.arrays {
            out.write_all(&(bytes.len() as u64).to_le_bytes())?;
            match bytes {
                Bytes::Real(v) => v.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?,
                Bytes::Points(v) => {
                    let all = v.iter().flatten();
                    all.into_iter()
                        .try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
                }
                Bytes::Integer(v) => v.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?,
            }
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}
