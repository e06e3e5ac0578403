//! `emit FILE.strand`: the PyTorch text of a program, on standard output; with `--spans` the map.
#![allow(clippy::print_stdout, clippy::print_stderr)]

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_default();
    let wants_spans = args.next().is_some();
    let Ok(source) = std::fs::read_to_string(&path) else {
        eprintln!("{path} can't be read");
        std::process::exit(2);
    };
    let checked = strand_check::check(&source);
    for diagnostic in &checked.diagnostics {
        eprintln!("{} {}", diagnostic.code, diagnostic.message);
    }
    for fault in strand_ir::verify(&checked.program) {
        eprintln!("fault: {fault}");
    }
    let torch = strand_torch::emit(&checked.program, &source);
    print!("{}", torch.text);
    if wants_spans {
        for (strand, python) in torch.spans {
            let (strand, python) = (strand.text(&source), python.text(&torch.text));
            println!("{strand:?} -> {python:?}");
        }
    }
}
