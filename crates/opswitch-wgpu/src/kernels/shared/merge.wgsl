// Where element `i` stands once two sorted runs of `width` elements, the first at `start`, are merged before `end`: after
// those before it in its own run, and after those in the other that are less, or equal and of the first run. `key_at`
// stands around it.
fn merged_place(i: u32, start: u32, width: u32, end: u32) -> u32 {
    let middle = min(start + width, end);
    let is_first = i < middle;
    let key = key_at(i);
    var low = select(start, middle, is_first);
    var high = select(middle, min(middle + width, end), is_first);
    while low < high {
        let probe = low + (high - low) / 2u;
        let other = key_at(probe);
        if other < key || (other == key && !is_first) {
            low = probe + 1u;
        } else {
            high = probe;
        }
    }
    return i + low - middle;
}
