//! Films: which states are frames, palettes, and GIFs that are read again.

use percuss_draw::film::{FilmFrame, FilmSchedule, FilmSpeed, GifWriter, Palette};
use percuss_draw::picture::Image;

fn plan(fps: f64, pace: FilmSpeed) -> FilmSchedule {
    FilmSchedule {
        from: None,
        until: None,
        fps,
        pace,
    }
}

#[test]
fn a_frame_is_the_state_nearest_to_its_instant() {
    let times: Vec<f64> = (0..=30).map(|k| 0.1 * f64::from(k)).collect();
    let frames = plan(4.0, FilmSpeed::Speed(1.0))
        .frames(&times)
        .expect("frames");
    // 0, 0.25, 0.5, …, 3: thirteen frames; of two states as near the earlier one.
    let states: Vec<usize> = frames.iter().map(|frame| frame.state).collect();
    let mut expected = Vec::new();
    for k in 0..=12 {
        let t = 0.25 * f64::from(k);
        let away = |j: &usize| (times[*j] - t).abs();
        let best = (0..times.len()).min_by(|a, b| away(a).total_cmp(&away(b)));
        expected.push(best.expect("a state"));
    }
    // Ties are settled by rounding of the times in either way: they may differ by one.
    assert_eq!(states.len(), 13);
    for (k, (found, expected)) in states.iter().zip(&expected).enumerate() {
        let off = (times[*found] - 0.25 * k as f64).abs();
        assert!(off <= (times[*expected] - 0.25 * k as f64).abs() + 1e-12);
    }
    assert_eq!((states[0], states[12]), (0, 30));
}

#[test]
fn slow_films_show_a_state_several_times() {
    let frames = plan(10.0, FilmSpeed::Speed(0.1))
        .frames(&[0.0, 0.1, 0.2])
        .expect("frames");
    // 21 frames at 0, 0.01, …: five or six to the first, ten to the second.
    assert_eq!(frames.iter().map(|frame| frame.count).sum::<usize>(), 21);
    assert_eq!(
        frames.iter().map(|f| f.state).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert!((9..=11).contains(&frames[1].count), "{frames:?}");
}

#[test]
fn films_are_cut_and_thinned() {
    let times: Vec<f64> = (0..10).map(f64::from).collect();
    let part = FilmSchedule {
        from: Some(2.0),
        until: Some(7.5),
        ..plan(25.0, FilmSpeed::EveryNth(2))
    };
    let frames = part.frames(&times).expect("frames");
    let one = |state| FilmFrame { state, count: 1 };
    assert_eq!(frames, [2, 4, 6].map(one));
    let outside = FilmSchedule {
        from: Some(20.0),
        ..part
    };
    assert!(outside.frames(&times).is_err());
    assert!(plan(25.0, FilmSpeed::Speed(1e-9)).frames(&times).is_err());
    assert!(plan(25.0, FilmSpeed::Auto).frames(&[]).is_err());
}

/// A square of one colour on white.
fn square(at: usize, colour: [u8; 3]) -> Image {
    let (width, height) = (40, 30);
    let mut rgb = vec![255; 3 * width * height];
    for y in 5..15 {
        for x in at..at + 8 {
            rgb[3 * (y * width + x)..][..3].copy_from_slice(&colour);
        }
    }
    Image { width, height, rgb }
}

/// The frames of a GIF as pixels, laid over each other, with their delays.
fn decoded(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).expect("a GIF");
    let (wide, high) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut shown = vec![0; 3 * wide * high];
    let mut all = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        let row = usize::from(frame.width);
        for (k, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (
                usize::from(frame.left) + k % row,
                usize::from(frame.top) + k / row,
            );
            if pixel[3] > 0 {
                shown[3 * (y * wide + x)..][..3].copy_from_slice(&pixel[..3]);
            }
        }
        all.push((frame.delay, shown.clone()));
    }
    all
}

#[test]
fn a_gif_is_what_was_put_into_it() {
    let images = [
        square(2, [200, 30, 40]),
        square(12, [200, 30, 40]),
        square(12, [200, 30, 40]),
        square(20, [16, 64, 128]),
    ];
    let palette = Palette::of(&images);
    assert_eq!(palette.colours.len(), 3, "no more colours than there are");
    let mut writer = GifWriter::new(Vec::new(), (40, 30), palette).expect("begun");
    images
        .iter()
        .for_each(|image| writer.add(image, 1.0 / 30.0).expect("added"));
    let bytes = writer.finish().expect("written");
    let frames = decoded(&bytes);
    // The two that are alike are one. Thirtieths of a second are 3⅓ hundredths: none is lost over all.
    assert_eq!(frames.len(), 3);
    assert_eq!(frames.iter().map(|f| f.0).collect::<Vec<_>>(), [3, 7, 3]);
    for (found, image) in frames.iter().zip([&images[0], &images[1], &images[3]]) {
        assert_eq!(found.1, image.rgb);
    }
    // Only what changed is in the file: the second frame is no larger than the two squares and between.
    assert!(bytes.len() < 1400, "{}", bytes.len());
}

#[test]
fn a_palette_is_near_to_all_colours_and_white_stays_white() {
    // All of a smooth ramp of many colours, and white.
    let mut rgb = vec![255; 300];
    for k in 0..4000_u32 {
        rgb.extend([(k % 256) as u8, (k / 16) as u8, ((7 * k) % 256) as u8]);
    }
    let image = Image {
        width: rgb.len() / 3,
        height: 1,
        rgb,
    };
    let mut palette = Palette::of([&image]);
    assert_eq!(palette.colours.len(), 255);
    let mut worst = 0;
    for p in image.rgb.chunks_exact(3) {
        let near = palette.nearest([p[0], p[1], p[2]]);
        let colour = palette.colours[usize::from(near)];
        let off = (0..3).map(|k| p[k].abs_diff(colour[k])).max().unwrap_or(0);
        worst = worst.max(off);
    }
    // 255 boxes of a cube of 256³: a side of 256/255^(1/3) = 40, half of it and some for uneven ones.
    assert!(worst <= 48, "{worst}");
    let white = palette.nearest([255; 3]);
    assert!(
        palette.colours[usize::from(white)]
            .iter()
            .all(|c| *c >= 250)
    );
}

#[test]
fn frames_of_another_size_are_refused() {
    let image = square(2, [1, 2, 3]);
    let palette = Palette::of([&image]);
    let mut writer = GifWriter::new(Vec::new(), (41, 30), palette).expect("begun");
    assert!(writer.add(&image, 0.1).is_err());
}
