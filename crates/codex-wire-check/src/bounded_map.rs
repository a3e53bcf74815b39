//! A bounded map that evicts its oldest entries.
//!
//! A long id is kept as its beginning and a digest, so that the memory of an entry is bounded too.

use std::borrow::{Borrow, Cow};
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hash, Hasher};

use foldhash::fast::RandomState;
use foldhash::quality::FixedState;
use hashbrown::HashTable;

use crate::pointer::begin;

/// Values by id, up to a number of ids. Beyond that number the oldest id is evicted.
#[derive(Clone, Debug)]
pub(crate) struct BoundedMap<K, V> {
    /// The slots in use, by the hashes of their ids: an id is kept once, in its slot.
    known: HashTable<Slot>,
    hasher: RandomState,
    slots: Vec<Option<Entry<K, V>>>,
    free: Vec<Slot>,
    /// The slots in the order in which something was inserted, each with the number of its value. If the
    /// numbers differ, the entry is out of date.
    order: VecDeque<(Slot, u64)>,
    next: u64,
    limit: usize,
    forgot: bool,
}

/// What is in a slot.
#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    /// No other value has it.
    number: u64,
}

/// Where something known is kept, until anything is inserted or taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl<K: MapKey, V> BoundedMap<K, V> {
    /// A memory for that many ids, at least one.
    pub(crate) fn new(limit: usize) -> Self {
        BoundedMap {
            known: HashTable::new(),
            hasher: RandomState::default(),
            slots: Vec::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            next: 0,
            limit: limit.clamp(1, MOST),
            forgot: false,
        }
    }

    /// Remembers; returns what was known under that id.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let key = key.short();
        let number = self.next;
        self.next += 1;
        let hash = self.hasher.hash_one(&key);
        let (slot, before) = match self.find_kept(&key, hash) {
            Some(slot) => {
                let known = self.slots[slot.0 as usize].as_mut();
                let before = known.map(|known| {
                    known.number = number;
                    std::mem::replace(&mut known.value, value)
                });
                (slot, before)
            }
            None => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.slots.push(None);
                    // There are no more than the limit.
                    Slot(self.slots.len() as u32 - 1)
                });
                self.slots[slot.0 as usize] = Some(Entry { key, value, number });
                let hash_of = hash_of(&self.hasher, &self.slots);
                self.known.insert_unique(hash, slot, hash_of);
                (slot, None)
            }
        };
        self.order.push_back((slot, number));
        while self.known.len() > self.limit {
            if let Some((slot, number)) = self.order.pop_front()
                && self.number(slot) == Some(number)
            {
                self.evict(slot);
                self.forgot = true;
            }
        }
        // Ids that were removed or inserted again leave entries that are out of date.
        if self.order.len() > 2 * self.known.len() + 16 {
            let mut order = std::mem::take(&mut self.order);
            order.retain(|(slot, number)| self.number(*slot) == Some(*number));
            self.order = order;
        }
        before
    }

    /// Where that id is known.
    #[inline]
    pub(crate) fn find<Q>(&self, key: &Q) -> Option<Slot>
    where
        K: Borrow<Q>,
        Q: Lookup + ?Sized,
    {
        key.shortly(|key| self.find_kept(key, self.hasher.hash_one(key)))
    }

    /// Where an id of that hash is known, which is as it is kept.
    #[inline]
    fn find_kept<Q>(&self, key: &Q, hash: u64) -> Option<Slot>
    where
        K: Borrow<Q>,
        Q: Lookup + ?Sized,
    {
        let is_it = |slot: &Slot| {
            let known = self.slots[slot.0 as usize].as_ref();
            known.is_some_and(|known| known.key.borrow() == key)
        };
        self.known.find(hash, is_it).copied()
    }

    /// What is known there.
    #[inline]
    pub(crate) fn at(&self, slot: Slot) -> Option<&V> {
        let known = self.slots[slot.0 as usize].as_ref();
        known.map(|known| &known.value)
    }

    /// What is known there, to be changed.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: Slot) -> Option<&mut V> {
        let known = self.slots[slot.0 as usize].as_mut();
        known.map(|known| &mut known.value)
    }

    /// What is known under that id.
    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Lookup + ?Sized,
    {
        self.at(self.find(key)?)
    }

    /// What is known under that id, to be changed.
    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Lookup + ?Sized,
    {
        self.at_mut(self.find(key)?)
    }

    /// Forgets an id on purpose; returns what was known under it.
    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Lookup + ?Sized,
    {
        self.evict(self.find(key)?)
    }

    /// Empties a slot; returns what was known there.
    fn evict(&mut self, slot: Slot) -> Option<V> {
        let known = self.slots[slot.0 as usize].take()?;
        let hash = self.hasher.hash_one(&known.key);
        if let Ok(found) = self.known.find_entry(hash, |other| *other == slot) {
            found.remove();
        }
        self.free.push(slot);
        Some(known.value)
    }

    /// The entries, in the order in which they were inserted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.order.iter().filter_map(|(slot, number)| {
            let known = self.slots[slot.0 as usize].as_ref()?;
            (known.number == *number).then_some((&known.key, &known.value))
        })
    }

    /// Forgets everything on purpose.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.slots.clear();
        self.free.clear();
        self.order.clear();
    }

    /// Begins again, in the room that it has.
    pub(crate) fn restart(&mut self) {
        self.clear();
        self.forgot = false;
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

    fn number(&self, slot: Slot) -> Option<u64> {
        let known = self.slots[slot.0 as usize].as_ref();
        known.map(|known| known.number)
    }
}

/// The hash of the id in a slot that is in use.
fn hash_of<K: Hash, V>(
    hasher: &RandomState,
    slots: &[Option<Entry<K, V>>],
) -> impl Fn(&Slot) -> u64 {
    move |slot| {
        let known = slots[slot.0 as usize].as_ref();
        known.map_or(0, |known| hasher.hash_one(&known.key))
    }
}

/// How long an id may be that is kept as it is. Codex's own have some forty bytes.
pub(crate) const ID_BYTES: usize = 256;

/// An id as it is kept: itself, or its beginning and a digest where it is long.
pub(crate) fn short(id: &str) -> Cow<'_, str> {
    if id.len() <= ID_BYTES {
        return Cow::Borrowed(id);
    }
    let digest = |seed| FixedState::with_seed(seed).hash_one(id);
    let begin = begin(id, ID_BYTES / 4);
    Cow::Owned(format!("{begin}…{:016x}{:016x}", digest(1), digest(2)))
}

/// What is known is known by something like that.
pub(crate) trait MapKey: Lookup + Sized {
    /// The same as it is kept.
    #[must_use]
    fn short(self) -> Self {
        self
    }
}

/// What is asked for.
pub(crate) trait Lookup: Eq + Hash {
    /// Does something with it as it is kept.
    fn shortly<R>(&self, ask: impl FnOnce(&Self) -> R) -> R {
        ask(self)
    }
}

impl MapKey for String {
    fn short(self) -> Self {
        match short(&self) {
            Cow::Owned(digest) => digest,
            Cow::Borrowed(_) => self,
        }
    }
}

impl<N: Clone + Eq + Hash> MapKey for (N, String) {
    fn short(self) -> Self {
        (self.0, self.1.short())
    }
}

impl MapKey for Option<u32> {}
impl MapKey for u64 {}
impl MapKey for (u64, i64) {}

impl Lookup for Option<u32> {}
impl Lookup for u64 {}
impl Lookup for (u64, i64) {}

impl Lookup for str {
    fn shortly<R>(&self, ask: impl FnOnce(&Self) -> R) -> R {
        ask(&short(self))
    }
}

impl Lookup for String {
    fn shortly<R>(&self, ask: impl FnOnce(&Self) -> R) -> R {
        match short(self) {
            Cow::Owned(digest) => ask(&digest),
            Cow::Borrowed(_) => ask(self),
        }
    }
}

impl<N: Clone + Eq + Hash> Lookup for (N, String) {
    fn shortly<R>(&self, ask: impl FnOnce(&Self) -> R) -> R {
        match short(&self.1) {
            Cow::Owned(digest) => ask(&(self.0.clone(), digest)),
            Cow::Borrowed(_) => ask(self),
        }
    }
}

impl Lookup for dyn Id + '_ {
    fn shortly<R>(&self, ask: impl FnOnce(&Self) -> R) -> R {
        let (number, id) = self.parts();
        match short(id) {
            Cow::Owned(digest) => ask(&(number, digest)),
            Cow::Borrowed(_) => ask(self),
        }
    }
}

/// How many ids can be distinguished.
const MOST: usize = u32::MAX as usize / 2;

/// An id within something that has a number, as memories know it and as it is looked up.
pub(crate) trait Id {
    /// The number and the id.
    fn parts(&self) -> (u64, &str);
}

impl Id for (u64, String) {
    fn parts(&self) -> (u64, &str) {
        (self.0, &self.1)
    }
}

impl Id for (u64, &str) {
    fn parts(&self) -> (u64, &str) {
        *self
    }
}

impl<'a> Borrow<dyn Id + 'a> for (u64, String) {
    fn borrow(&self) -> &(dyn Id + 'a) {
        self
    }
}

// As the pair itself does it.
impl Hash for dyn Id + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl PartialEq for dyn Id + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn Id + '_ {}

#[cfg(test)]
mod tests {
    use super::*;

    impl MapKey for &'static str {}
    impl MapKey for i32 {}
    impl Lookup for &'static str {}
    impl Lookup for i32 {}

    #[test]
    fn long_ids_are_kept_as_digests() {
        let long = "ü".repeat(100_000);
        let (one, other) = (format!("{long}a"), format!("{long}b"));
        let mut memory = BoundedMap::new(10);
        memory.insert((1_u64, one.clone()), 1);
        memory.insert((1, other.clone()), 2);
        let found = |id: &str| memory.get(&(1_u64, id) as &dyn Id).copied();
        assert_eq!(found(&one), Some(1));
        assert_eq!(found(&other), Some(2));
        assert_eq!(found(&long), None);
        assert!(memory.iter().all(|((_, id), _)| id.len() <= ID_BYTES));
        let mut memory = BoundedMap::new(10);
        memory.insert(one.clone(), 1);
        assert_eq!(memory.get(&one), Some(&1));
        assert_eq!(memory.get(one.as_str()), Some(&1));
        assert_eq!(memory.get(other.as_str()), None);
        assert_eq!(memory.remove(&one), Some(1));
        // As kept it is found again.
        assert_eq!(short(&short(&one)), short(&one));
        assert_eq!(short("a"), "a");
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut memory = BoundedMap::new(2);
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
        let mut memory = BoundedMap::new(10);
        for id in 0..10_000 {
            memory.insert(id, ());
            memory.remove(&(id - 3));
        }
        assert_eq!(memory.len(), 3);
        assert!(memory.order.len() < 64, "{}", memory.order.len());
        assert!(memory.slots.len() < 64, "{}", memory.slots.len());
        assert!(!memory.forgot());
    }

    #[test]
    fn ids_are_looked_up_without_a_copy() {
        let mut memory = BoundedMap::new(10);
        memory.insert((1, "a".to_owned()), 1);
        memory.insert((2, "a".to_owned()), 2);
        let found = |number: u64, id: &str| memory.get(&(number, id) as &dyn Id);
        assert_eq!(found(1, "a"), Some(&1));
        assert_eq!(found(2, "a"), Some(&2));
        assert_eq!(found(2, "b"), None);
    }
}
