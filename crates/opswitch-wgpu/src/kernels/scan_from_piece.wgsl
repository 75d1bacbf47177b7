// `wholes` holds the scan of the pieces as wholes: a piece starts from what is there for the one before it.

@group(0) @binding(2) var<storage, read> wholes: array<Acc>;
@group(0) @binding(3) var<uniform> params: Params;

fn start_of(task: u32, piece: u32) -> Acc {
    if piece == 0u {
        return identity();
    }
    return wholes[task - params.inner];
}
