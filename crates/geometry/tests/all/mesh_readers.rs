//! Meshes from files, and files that are no meshes.

use glam::DVec3;
use percuss_geometry::ShapeError;
use percuss_geometry::space::{Mesh, MeshError, read_obj, read_stl};
use proptest::prelude::*;

const TETRAHEDRON: &str = "# four faces\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n\
    f 1 3 2\nf 1/1 2/2 4/3\nf 2//1 3//1 4//1\nf -4/1/1 -1/2/2 -2/3/3\n";

/// A cube of side 2 with outward quadrilaterals.
const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 \\\n 8 7\nf 4 1 5 8\n";

fn volume(mesh: &Mesh) -> f64 {
    let v = mesh.vertices();
    mesh.triangles()
        .iter()
        .map(|t| {
            let [p, q, r] = t.map(|i| v[i as usize]);
            p.cross(q).dot(r) / 6.0
        })
        .sum()
}

/// The text and the binary form of a mesh.
fn stl(mesh: &Mesh) -> (String, Vec<u8>) {
    let mut text = String::from("solid a name\n");
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for t in mesh.triangles() {
        text += " facet normal 0 0 0\n  outer loop\n";
        bytes.extend([0; 12]);
        for v in t.map(|i| mesh.vertices()[i as usize]) {
            text += &format!("   vertex {} {:e} {}\n", v.x, v.y, v.z);
            for x in v.to_array() {
                bytes.extend((x as f32).to_le_bytes());
            }
        }
        text += "  endloop\n endfacet\n";
        bytes.extend([0; 2]);
    }
    (text + "endsolid a name\n", bytes)
}

#[test]
fn obj_faces_of_all_forms_are_read() {
    let tetrahedron = Mesh::from_obj(TETRAHEDRON).unwrap();
    assert_eq!(
        tetrahedron.triangles(),
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    );
    assert!(tetrahedron.closed());
    assert!((volume(&tetrahedron) - 1.0 / 6.0).abs() < 1e-15);
    let cube = Mesh::from_obj(CUBE).unwrap();
    assert_eq!((cube.vertices().len(), cube.triangles().len()), (8, 12));
    assert!((volume(&cube) - 8.0).abs() < 1e-14);
}

#[test]
fn both_forms_of_stl_give_the_mesh_back() {
    let cube = Mesh::from_obj(CUBE).unwrap();
    let (text, bytes) = stl(&cube);
    for mesh in [
        Mesh::from_stl(text.as_bytes()).unwrap(),
        Mesh::from_stl(&bytes).unwrap(),
    ] {
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        assert!(mesh.closed() && (volume(&mesh) - 8.0).abs() < 1e-14);
    }
    // A binary file may begin with the word of the text form.
    let mut named = bytes.clone();
    named[..5].copy_from_slice(b"solid");
    assert_eq!(read_stl(&named).unwrap(), read_stl(&bytes).unwrap());
}

#[test]
fn faults_of_files_are_named_by_line_or_triangle() {
    let obj = |text: &str| Mesh::from_obj(text).unwrap_err().to_string();
    assert_eq!(obj("v 0 0 0\nv 1 x 0"), "line 2: `x` is no finite number");
    assert_eq!(obj("v 0 0"), "line 1: three coordinates were expected");
    assert_eq!(obj("v 0 0 nan"), "line 1: `nan` is no finite number");
    assert_eq!(
        obj("v 0 0 0\nf 1 1"),
        "line 2: a face needs at least 3 vertices, 2 given"
    );
    assert_eq!(
        obj("v 0 0 0\nf 0 1 1"),
        "line 2: vertices are counted from 1, 0 given"
    );
    assert_eq!(
        obj("v 0 0 0\n\nf 1 1 7"),
        "line 3: vertex 7 does not exist: the file has 1"
    );
    assert_eq!(
        obj("v 0 0 0\nf 1 1 -2"),
        "line 2: vertex -2 does not exist: 1 vertices so far"
    );
    assert_eq!(obj("f a 1 1"), "line 1: `a` is no vertex number");
    assert_eq!(obj(""), "a mesh needs at least one triangle");
    let stl = |text: &str| Mesh::from_stl(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        stl("solid\nfacet\nvertex 0 0 0"),
        "line 3: `outer loop` was expected, `vertex` found"
    );
    assert_eq!(
        stl("solid\nfacet\nouter loop\nvertex 0 0 0\n"),
        "line 4: the file ends here, `vertex` was expected"
    );
    assert!(stl("no").contains("2 bytes are too short"));
    let mut bytes = vec![0; 84 + 50];
    bytes[80] = 2;
    assert!(
        Mesh::from_stl(&bytes)
            .unwrap_err()
            .to_string()
            .contains("a binary file of 2 triangles has 184 bytes, not 134")
    );
    bytes[80] = 1;
    bytes[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        Mesh::from_stl(&bytes).unwrap_err().to_string(),
        "triangle 0: a coordinate is NaN"
    );
}

fn refused(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> ShapeError {
    let vertices: Vec<DVec3> = vertices.iter().map(|v| DVec3::from_array(*v)).collect();
    Mesh::new(&vertices, triangles).unwrap_err()
}

#[test]
fn surfaces_that_are_none_are_refused_by_name() {
    let square = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 0.5, 1.0],
    ];
    let mut bad = square;
    bad[3][1] = f64::INFINITY;
    assert_eq!(
        refused(&bad, &[[0, 1, 2]]).to_string(),
        "vertex 3 is not finite: inf"
    );
    let message = refused(&square, &[[0, 1, 2], [0, 2, 9]]).to_string();
    assert_eq!(
        message,
        "triangle 1 names vertex 9, but there are only 5 vertices, counted from 0"
    );
    let line = [[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]];
    let message = refused(&line, &[[0, 1, 2]]).to_string();
    assert!(
        message.starts_with("triangle 0 (vertices 0, 1, 2) has no area: longest side 5.19"),
        "{message}"
    );
    let message = refused(&square, &[[0, 1, 2], [0, 1, 4]]).to_string();
    assert!(
        message.contains("triangles 0 and 1 both run from vertex 0 to vertex 1"),
        "{message}"
    );
    let message = refused(&square, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]).to_string();
    assert!(
        message.contains("the edge from vertex 0 to vertex 1 belongs to 3 triangles (0, 1, 2)"),
        "{message}"
    );
    let cube = Mesh::from_obj(CUBE).unwrap();
    let turned: Vec<[u32; 3]> = cube
        .triangles()
        .iter()
        .map(|[a, b, c]| [*a, *c, *b])
        .collect();
    let message = Mesh::new(cube.vertices(), &turned).unwrap_err().to_string();
    assert_eq!(
        message,
        "the closed surface of triangle 0 is inside out (its volume is -8): reverse the order of the \
         triangles' vertices"
    );
    let message = refused(&square, &[[0, 1, 2], [0, 2, 1]]).to_string();
    assert_eq!(
        message,
        "the closed surface of triangle 0 encloses no volume"
    );
}

#[test]
fn a_cavity_is_no_surface_turned_inside_out() {
    let cube = Mesh::from_obj(CUBE).unwrap();
    let mut vertices = cube.vertices().to_vec();
    let mut triangles = cube.triangles().to_vec();
    vertices.extend(cube.vertices().iter().map(|v| *v * 0.5));
    triangles.extend(
        cube.triangles()
            .iter()
            .map(|[a, b, c]| [a + 8, c + 8, b + 8]),
    );
    let hollow = Mesh::new(&vertices, &triangles).unwrap();
    assert!((volume(&hollow) - 7.0).abs() < 1e-13);
    // The same inverted surface beside the cube is inside out.
    for v in &mut vertices[8..] {
        v.x += 5.0;
    }
    assert!(matches!(
        Mesh::new(&vertices, &triangles),
        Err(ShapeError::Orientation(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    /// Any file is read or rejected; a mutated one too.
    #[test]
    fn no_bytes_make_a_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
        form in 0..4usize,
        noise in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let cube = Mesh::from_obj(CUBE).unwrap();
        let (text, binary) = stl(&cube);
        let mut bytes = match form {
            0 => CUBE.as_bytes().to_vec(),
            1 => text.into_bytes(),
            2 => binary,
            _ => noise,
        };
        for (at, byte) in changes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        if cuts && !bytes.is_empty() {
            bytes.truncate(cut.index(bytes.len()));
        }
        let good = |r: Result<Mesh, MeshError>| r.is_ok_and(|m| !m.triangles().is_empty());
        let _ = good(Mesh::from_stl(&bytes));
        let lossy = String::from_utf8_lossy(&bytes);
        let _ = good(Mesh::from_obj(&lossy));
        // What is read raw names only vertices that exist.
        for (v, t) in [read_stl(&bytes), read_obj(&lossy)].into_iter().flatten() {
            prop_assert!(t.iter().flatten().all(|i| (*i as usize) < v.len()));
        }
    }
}
