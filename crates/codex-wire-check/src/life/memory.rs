//! Memories that forget.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use foldhash::fast::RandomState;

/// What is known by id, up to a number of ids: beyond it the one that was told of first is
/// forgotten first.
#[derive(Clone, Debug)]
pub(crate) struct Memory<K, V> {
    known: HashMap<K, (V, u64), RandomState>,
    /// Ids in the order in which they were told of, each with a number that says whether it
    /// is still meant.
    order: VecDeque<(K, u64)>,
    next: u64,
    limit: usize,
    forgot: bool,
}

impl<K: Clone + Eq + Hash, V> Memory<K, V> {
    /// A memory for that many ids, at least one.
    pub(crate) fn new(limit: usize) -> Self {
        Memory {
            known: HashMap::default(),
            order: VecDeque::new(),
            next: 0,
            limit: limit.max(1),
            forgot: false,
        }
    }

    /// Remembers; returns what was known under that id.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let number = self.next;
        self.next += 1;
        self.order.push_back((key.clone(), number));
        let before = self.known.insert(key, (value, number));
        while self.known.len() > self.limit {
            if let Some((key, number)) = self.order.pop_front()
                && self.is_meant(&key, number)
            {
                self.known.remove(&key);
                self.forgot = true;
            }
        }
        // Ids taken out or told of again leave their old places behind.
        if self.order.len() > 2 * self.known.len() + 16 {
            let known = &self.known;
            self.order
                .retain(|(key, number)| known.get(key).is_some_and(|(_, n)| n == number));
        }
        before.map(|(value, _)| value)
    }

    /// What is known under that id.
    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.known.get(key).map(|(value, _)| value)
    }

    /// What is known under that id, to be changed.
    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.known.get_mut(key).map(|(value, _)| value)
    }

    /// Forgets an id on purpose; returns what was known under it.
    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.known.remove(key).map(|(value, _)| value)
    }

    /// What is known, in the order in which it was told of.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.order.iter().filter_map(|(key, number)| {
            let (value, meant) = self.known.get(key)?;
            (meant == number).then_some((key, value))
        })
    }

    /// Forgets everything on purpose.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.order.clear();
    }

    /// How many ids are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether an id had to be forgotten: what is unknown may have been known.
    pub(crate) fn forgot(&self) -> bool {
        self.forgot
    }

    fn is_meant(&self, key: &K, number: u64) -> bool {
        self.known.get(key).is_some_and(|(_, n)| *n == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut memory = Memory::new(2);
        assert_eq!(memory.insert("a", 1), None);
        assert_eq!(memory.insert("b", 2), None);
        assert_eq!(memory.insert("a", 3), Some(1));
        assert!(!memory.forgot());
        assert_eq!(memory.insert("c", 4), None);
        assert!(memory.forgot());
        assert_eq!(memory.get("b"), None);
        assert_eq!(memory.iter().collect::<Vec<_>>(), [(&"a", &3), (&"c", &4)]);
    }

    #[test]
    fn it_does_not_grow() {
        let mut memory = Memory::new(10);
        for id in 0..10_000 {
            memory.insert(id, ());
            memory.remove(&(id - 3));
        }
        assert_eq!(memory.len(), 3);
        assert!(memory.order.len() < 64, "{}", memory.order.len());
        assert!(!memory.forgot());
    }
}
