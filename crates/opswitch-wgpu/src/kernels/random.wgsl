// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): the four words of a block are a function of its number and the key, so
// that blocks are computed in any order. An invocation makes one block, and four elements of it.

struct Params {
    len: u32,
    // Of the distribution.
    a: f32,
    b: f32,
    c: f32,
    key: vec2<u32>,
    // The number of the first block, low word first.
    first: vec2<u32>,
}

@group(0) @binding(0) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(1) var<uniform> params: Params;

{{shared/index}}
{{shared/ln}}
{{shared/circular}}

// The product of 32-bit words, high word first.
fn multiply(lhs: u32, rhs: u32) -> vec2<u32> {
    let l = vec2(lhs & 0xffffu, lhs >> 16u);
    let r = vec2(rhs & 0xffffu, rhs >> 16u);
    let middle = l.y * r.x + ((l.x * r.x) >> 16u);
    let carry = (middle & 0xffffu) + l.x * r.y;
    return vec2(l.y * r.y + (middle >> 16u) + (carry >> 16u), lhs * rhs);
}

fn philox(number: vec2<u32>) -> vec4<u32> {
    var counter = vec4(number, 0u, 0u);
    var key = params.key;
    for (var round = 0; round < 10; round++) {
        let even = multiply(0xd2511f53u, counter.x);
        let odd = multiply(0xcd9e8d57u, counter.z);
        counter = vec4(odd.x ^ counter.y ^ key.x, odd.y, even.x ^ counter.w ^ key.y, even.y);
        key += vec2(0x9e3779b9u, 0xbb67ae85u);
    }
    return counter;
}

// In 0 <= u < 1.
fn unit(words: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(words >> vec4(8u)) * 0x1p-24;
}

// Within a..b, never above c, the last float before b.
fn uniform_elements(words: vec4<u32>) -> vec4<f32> {
    let u = unit(words);
    return clamp(params.a * (1.0 - u) + params.b * u, vec4(params.a), vec4(params.c));
}

// Of mean a and standard deviation b (Box and Muller 1958).
fn normal_elements(words: vec4<u32>) -> vec4<f32> {
    // In 0 < u <= 1, where the logarithm is finite.
    let u = (vec2<f32>(words.xz) + 1.0) * 0x1p-32;
    let radius = sqrt(-2.0 * vec2(logarithm(u.x), logarithm(u.y)));
    let angle = 6.2831853 * unit(words).yw;
    let cosines = vec2(cosine(angle.x), cosine(angle.y));
    let sines = vec2(sine(angle.x), sine(angle.y));
    return params.a + params.b * vec4(radius * cosines, radius * sines);
}

// 1 with probability a.
fn bernoulli_elements(words: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(unit(words) < vec4(params.a));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = linear_index(group, groups, local, 64u);
    let low = params.first.x + block;
    let number = vec2(low, params.first.y + u32(low < block));
    let elements = {{distribution}}_elements(philox(number));
    for (var i = 0u; i < 4u; i++) {
        let position = 4u * block + i;
        if position < params.len {
            y[position] = {{type}}(elements[i]);
        }
    }
}
