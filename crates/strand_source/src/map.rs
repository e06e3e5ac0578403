//! Maps and sets as sorted vectors: iteration is in the keys' order, and the code of each is a fraction of a tree's or
//! a hash table's.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::order::sort_by;
use crate::work::count_steps;

/// Values by key, in the keys' order; what [`std::collections::BTreeMap`] is, for maps that stay short or grow at
/// their end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map<K, V>(Vec<(K, V)>);

/// Keys in order; what [`std::collections::BTreeSet`] is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set<K>(Map<K, ()>);

/// Where a key stands, or would stand, among `len` keys.
fn place(len: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, len);
    while low < high {
        count_steps(1);
        let middle = low.midpoint(high);
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many keys it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The keys with their values.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys.
    pub fn keys(&self) -> Keys<'_, K, V> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the keys' order.
    pub fn values(&self) -> Values<'_, K, V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values to write, in the keys' order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Keeps what `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> Map<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        place(self.0.len(), &mut |at| self.0[at].0.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let pair = self.0.get(self.place(key).ok()?);
        pair.map(|(_, value)| value)
    }

    /// The value of a key, to write.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Whether it has the key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Gives a key its value, and gives back what it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                count_steps(self.0.len() - at);
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes a key out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        count_steps(self.0.len() - at);
        Some(self.0.remove(at).1)
    }

    /// The value of a key, to write; `value()` where it has none yet.
    pub fn get_or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let at = match self.place(&key) {
            Ok(at) => at,
            Err(at) => {
                count_steps(self.0.len() - at);
                self.0.insert(at, (key, value()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// The value of a key, to write; the default where it has none yet.
    pub fn get_or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.get_or_insert_with(key, V::default)
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        self.0.extend(pairs);
        sort_by(&mut self.0, |a, b| a.0.cmp(&b.0));
        // Of equal keys the last stands; `dedup_by` drops the later one of a pair.
        self.0.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(&mut later.1, &mut kept.1);
            }
            same
        });
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The keys of a [`Map`] with their values.
pub type Iter<'m, K, V> = std::iter::Map<std::slice::Iter<'m, (K, V)>, fn(&(K, V)) -> (&K, &V)>;

/// The keys of a [`Map`].
pub type Keys<'m, K, V> = std::iter::Map<std::slice::Iter<'m, (K, V)>, fn(&(K, V)) -> &K>;

/// The values of a [`Map`].
pub type Values<'m, K, V> = std::iter::Map<std::slice::Iter<'m, (K, V)>, fn(&(K, V)) -> &V>;

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;

    /// # Panics
    /// Where it lacks the key.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self(Map::new())
    }
}

impl<K> Set<K> {
    /// An empty set.
    pub const fn new() -> Self {
        Self(Map::new())
    }

    /// How many keys it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The keys.
    pub fn iter(&self) -> Keys<'_, K, ()> {
        self.0.keys()
    }

    /// Keeps what `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| keep(key));
    }
}

impl<K: Ord> Set<K> {
    /// Whether it has the key.
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Adds a key; whether it is new.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// Takes a key out; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove(key).is_some()
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        self.0.extend(keys.into_iter().map(|key| (key, ())));
    }
}

impl<'k, K: Ord + Copy + 'k> Extend<&'k K> for Set<K> {
    fn extend<I: IntoIterator<Item = &'k K>>(&mut self, keys: I) {
        self.extend(keys.into_iter().copied());
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::new();
        set.extend(keys);
        set
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(K, ())>, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(key, ())| key)
    }
}

impl<'m, K> IntoIterator for &'m Set<K> {
    type Item = &'m K;
    type IntoIter = Keys<'m, K, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_answers_as_a_tree_does() {
        let mut state = 7_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        let (mut map, mut tree) = (Map::new(), BTreeMap::new());
        for _ in 0..2000 {
            let (key, value) = (next() % 60, next());
            match next() % 5 {
                0 => assert_eq!(map.remove(&key), tree.remove(&key)),
                1 => assert_eq!(map.get(&key), tree.get(&key)),
                2 => assert_eq!(
                    map.get_or_insert_with(key, || value),
                    tree.entry(key).or_insert(value)
                ),
                3 => {
                    let pairs = [(key, value), (next() % 60, 1), (key, value / 2)];
                    map.extend(pairs);
                    tree.extend(pairs);
                }
                _ => assert_eq!(map.insert(key, value), tree.insert(key, value)),
            }
            assert!(map.iter().eq(tree.iter()));
        }
        let set: Set<u32> = [3, 1, 3, 2].into_iter().collect();
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
