//! Sums of products by an equation, against loops over every index.

use std::collections::BTreeMap;

use opswitch_core::ops::FloatOps;
use opswitch_cpu::{Cpu, CpuTensor};

use super::{tensor, values};

/// Small integers, whose sums of products are exact.
fn numbers(shape: &[usize], seed: usize) -> (CpuTensor, Vec<f64>) {
    let len: usize = shape.iter().product();
    let numbers: Vec<f64> = (0..len).map(|i| ((i * 7 + seed * 3) % 11) as f64 - 5.0).collect();
    (tensor(numbers.clone(), shape), numbers)
}

/// The position of an element with these indices; an extent of 1 has one element for every index.
fn position(term: &str, shape: &[usize], index: &BTreeMap<char, usize>) -> usize {
    let dims = term.chars().zip(shape);
    dims.fold(0, |at, (letter, &extent)| at * extent + if extent == 1 { 0 } else { index[&letter] })
}

/// The sum over every index of the product of the elements that the terms name.
fn by_loops(equation: &str, inputs: &[(&[usize], Vec<f64>)]) -> Vec<f64> {
    let (terms, output) = equation.split_once("->").expect("a result");
    let terms: Vec<&str> = terms.split(',').collect();
    let mut extents = BTreeMap::new();
    for (term, (shape, _)) in terms.iter().zip(inputs) {
        for (letter, &extent) in term.chars().zip(*shape) {
            let known = extents.entry(letter).or_insert(extent);
            *known = if *known == 1 { extent } else { *known };
        }
    }
    let result: Vec<usize> = output.chars().map(|letter| extents[&letter]).collect();
    let mut sums = vec![0.0; result.iter().product()];
    for mut number in 0..extents.values().product() {
        let mut index = BTreeMap::new();
        for (&letter, &extent) in &extents {
            index.insert(letter, number % extent);
            number /= extent;
        }
        let factor =
            |(term, (shape, values)): (&&str, &(&[usize], Vec<f64>))| values[position(term, shape, &index)];
        sums[position(output, &result, &index)] += terms.iter().zip(inputs).map(factor).product::<f64>();
    }
    sums
}

/// Checks an equation, and the same one in which every letter of the result is named.
fn check_as(equation: &str, spelt_out: &str, shapes: &[&[usize]]) {
    let inputs: Vec<_> = shapes.iter().enumerate().map(|(seed, shape)| numbers(shape, seed)).collect();
    let loops: Vec<_> = shapes.iter().copied().zip(inputs.iter().map(|input| input.1.clone())).collect();
    let found = Cpu::float_einsum(inputs.into_iter().map(|input| input.0).collect(), equation);
    assert_eq!(values::<f64>(&found), by_loops(spelt_out, &loops), "{equation} of {shapes:?}");
}

fn check(equation: &str, shapes: &[&[usize]]) {
    check_as(equation, equation, shapes);
}

#[test]
fn products_of_two() {
    check("ij,jk->ik", &[&[2, 3], &[3, 4]]);
    check("ij,jk->ki", &[&[2, 3], &[3, 4]]);
    check("ji,kj->ik", &[&[3, 2], &[4, 3]]);
    check("bij,bjk->bik", &[&[2, 3, 4], &[2, 4, 5]]);
    check("ibj,kjb->kbi", &[&[3, 2, 4], &[5, 4, 2]]);
    check("ij,ij->", &[&[2, 3], &[2, 3]]);
    check("ij,ij->ij", &[&[2, 3], &[2, 3]]);
    check("i,j->ji", &[&[2], &[3]]);
    check("i,->i", &[&[2], &[]]);
    check("aB,Bc->ca", &[&[2, 3], &[3, 4]]);
    check("ij,kl->jl", &[&[2, 3], &[4, 5]]);
    check("abcd,dbe->eca", &[&[2, 3, 4, 5], &[5, 3, 2]]);
}

#[test]
fn one_tensor() {
    check("ij->ji", &[&[2, 3]]);
    check("ij->i", &[&[2, 3]]);
    check("ij->", &[&[2, 3]]);
    check("->", &[&[]]);
    check("ii->i", &[&[3, 3]]);
    check("ii->", &[&[3, 3]]);
    check("iji->j", &[&[3, 2, 3]]);
    check("ijij->ji", &[&[3, 2, 3, 2]]);
    check("iiji->ij", &[&[2, 2, 3, 2]]);
}

#[test]
fn three_and_more() {
    check("ij,jk,kl->il", &[&[2, 3], &[3, 4], &[4, 2]]);
    check("i,i,i->i", &[&[4], &[4], &[4]]);
    check("ij,k,ij->k", &[&[2, 3], &[4], &[2, 3]]);
    check("ii,jj,ij->", &[&[2, 2], &[3, 3], &[2, 3]]);
    check("a,b,c,d->dcba", &[&[2], &[3], &[2], &[3]]);
}

#[test]
fn no_elements() {
    check("ij,jk->ik", &[&[2, 0], &[0, 3]]);
    check("ij,jk->ik", &[&[0, 2], &[2, 3]]);
    check("ii->i", &[&[0, 0]]);
    check("ij->", &[&[2, 0]]);
}

#[test]
fn extents_of_one_repeat() {
    check("ij,jk->ik", &[&[2, 1], &[3, 4]]);
    check("ij,jk->jik", &[&[2, 3], &[1, 4]]);
    check("i,i,i->i", &[&[1], &[3], &[1]]);
    check("ij,ij->", &[&[1, 3], &[2, 1]]);
    check("ii->i", &[&[1, 1]]);
    check("i,ii->i", &[&[3], &[1, 1]]);
    check("ii,i->i", &[&[1, 1], &[3]]);
}

#[test]
fn what_is_left_out() {
    check_as("ij,jk", "ij,jk->ik", &[&[2, 3], &[3, 4]]);
    check_as("ba", "ba->ab", &[&[2, 3]]);
    check_as("bA", "bA->Ab", &[&[2, 3]]);
    check_as(" i j , j k -> k i ", "ij,jk->ki", &[&[2, 3], &[3, 4]]);
    check_as("...ij,...jk->...ik", "xyij,yjk->xyik", &[&[2, 1, 3, 4], &[5, 4, 2]]);
    check_as("i...,...", "ixy,y->xyi", &[&[4, 2, 3], &[3]]);
    check_as("i...j->...", "ixyj->xy", &[&[2, 3, 4, 5]]);
    check_as("...->", "xy->", &[&[2, 3]]);
    check_as("i...i->...", "ixi->x", &[&[3, 2, 3]]);
    check_as("...i,...i", "i,i->", &[&[3], &[3]]);
}
