//! `delpaths`: deletes all paths at once, each as it was in the input. The rest keeps its order.

use crate::program::{Data, short};
use jaq_core::native::bome;
use jaq_core::val::{ValR, ValXs};
use jaq_core::{Cv, Error};
use jaq_json::{Map, Rc, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The filter `delpaths($paths)`.
pub fn delpaths<'a>(mut input: Cv<'a, Data>) -> ValXs<'a, Val> {
    let paths = input.0.pop_var();
    bome(delete_all(input.1, &paths))
}

fn delete_all(value: Val, paths: &Val) -> ValR<Val> {
    let Val::Arr(list) = paths else {
        return Err(Error::typ(paths.clone(), "array of paths"));
    };
    let mut paths = Vec::with_capacity(list.len());
    for path in list.iter() {
        match path {
            Val::Arr(path) => paths.push(path.to_vec()),
            other => return Err(Error::typ(other.clone(), "path")),
        }
    }
    delete(value, paths)
}

/// Paths that begin with the same key or index, without it.
type Rests = Vec<Vec<Val>>;

fn delete(value: Val, paths: Rests) -> ValR<Val> {
    if paths.is_empty() {
        return Ok(value);
    }
    if paths.iter().any(Vec::is_empty) {
        return Ok(Val::Null);
    }
    match value {
        Val::Null => Ok(Val::Null),
        Val::Obj(members) => members_left(members, paths),
        Val::Arr(elements) => elements_left(elements, paths),
        other => Err(cannot(&paths[0][0], &other)),
    }
}

fn members_left(members: Rc<Map>, paths: Rests) -> ValR<Val> {
    let mut by_key: BTreeMap<Val, Rests> = BTreeMap::new();
    for mut path in paths {
        let key = path.remove(0);
        if !matches!(key, Val::TStr(_)) {
            return Err(cannot(&key, &Val::Obj(members)));
        }
        by_key.entry(key).or_default().push(path);
    }
    let members = Rc::try_unwrap(members).unwrap_or_else(|shared| (*shared).clone());
    let mut left = Map::default();
    for (key, value) in members {
        match by_key.remove(&key) {
            Some(rests) if rests.iter().any(Vec::is_empty) => {}
            Some(rests) => {
                left.insert(key, delete(value, rests)?);
            }
            None => {
                left.insert(key, value);
            }
        }
    }
    Ok(Val::obj(left))
}

fn elements_left(elements: Rc<Vec<Val>>, paths: Rests) -> ValR<Val> {
    let len = elements.len();
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    let mut by_index: BTreeMap<usize, Rests> = BTreeMap::new();
    for mut path in paths {
        let mut first = path.remove(0);
        let mut base = 0;
        let mut end = len;
        // A slice, or an index in a slice.
        while let Val::Obj(slice) = &first {
            let bound = |name: &str, default: usize| match slice.get(&Val::from(name.to_owned())) {
                None | Some(Val::Null) => Some(default),
                Some(Val::Num(number)) => Some(place(number.as_isize()?, end - base)),
                Some(_) => None,
            };
            let (Some(from), Some(to)) = (bound("start", 0), bound("end", end - base)) else {
                return Err(cannot(&first, &Val::Arr(elements)));
            };
            (base, end) = (base + from, base + to.max(from));
            if path.is_empty() {
                break;
            }
            first = path.remove(0);
        }
        match &first {
            Val::Obj(_) => gone.extend(base..end),
            Val::Num(number) => {
                let Some(index) = number.as_isize() else {
                    return Err(cannot(&first, &Val::Arr(elements)));
                };
                let index = match usize::try_from(index) {
                    Ok(index) => base.checked_add(index),
                    Err(_) => end.checked_sub(index.unsigned_abs()),
                };
                if let Some(index) = index.filter(|index| (base..end).contains(index)) {
                    by_index.entry(index).or_default().push(path);
                }
            }
            _ => return Err(cannot(&first, &Val::Arr(elements))),
        }
    }
    let elements = Rc::try_unwrap(elements).unwrap_or_else(|shared| (*shared).clone());
    let mut left = Vec::with_capacity(len);
    for (index, element) in elements.into_iter().enumerate() {
        match by_index.remove(&index) {
            _ if gone.contains(&index) => {}
            Some(rests) if rests.iter().any(Vec::is_empty) => {}
            Some(rests) => left.push(delete(element, rests)?),
            None => left.push(element),
        }
    }
    Ok(Val::Arr(Rc::new(left)))
}

/// A bound of a slice within the length. A negative bound counts from the end.
fn place(bound: isize, len: usize) -> usize {
    match usize::try_from(bound) {
        Ok(bound) => bound.min(len),
        Err(_) => len.saturating_sub(bound.unsigned_abs()),
    }
}

fn cannot(key: &Val, value: &Val) -> Error<Val> {
    Error::str(format_args!(
        "cannot delete {} from {}",
        short(key),
        short(value)
    ))
}
