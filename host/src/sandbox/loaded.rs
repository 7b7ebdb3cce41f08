//! A loaded plugin, and its snapshots after `configure`.

use super::bindings::PluginPre;
use super::call_state::CallState;
use super::description::Description;
use super::kept_dir::Key;
use super::room::Room;
use super::snapshot;
use crate::policy::{Capability, Limits};
use std::sync::Arc;

/// A plugin that compiled, got its imports, and described itself.
pub(super) struct Loaded {
    pub name: String,
    pub room: Arc<Room>,
    pub pre: PluginPre<CallState>,
    pub needs_wasi: bool,
    pub imports: Vec<Capability>,
    pub description: Description,
    /// The component itself, if snapshots are taken of it.
    pub wasm: Option<Vec<u8>>,
}

impl Loaded {
    /// The plugin after `configure`, if it requests a snapshot and one is possible. The caller has checked that
    /// the plugin accepts the settings.
    pub(super) fn after_configure(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Option<PluginPre<CallState>> {
        if let Some(known) = self.found_after_configure(settings, limits) {
            return Some(known);
        }
        let wasm = self.wasm.as_ref()?;
        let room = &*self.room;
        let plugin = &*self.name;
        let made_of = self.pre.instance_pre().component();
        let key = self.snapshot_key(wasm, settings, limits);
        let patience = limits.compile.time_for(wasm.len());
        let turn = room
            .cache
            .as_ref()
            .map(|cache| cache.turns.take(&key, patience));
        if let Some(None) = turn
            && let Some(known) = self.found_after_configure(settings, limits)
        {
            // Another process took it meanwhile.
            return Some(known);
        }
        let taken = snapshot::take(room, made_of, wasm, settings, limits)
            .and_then(|taken| Ok((snapshot::load(room, &taken, made_of, limits)?, taken)));
        match taken {
            Ok((pre, taken)) => {
                let bytes = taken.len();
                let kept = room
                    .cache
                    .as_ref()
                    .map(|cache| cache.snapshots.keep(&key, &taken));
                // Once it is there: who waits for this line may end the process.
                tracing::debug!(plugin, bytes, "its snapshot after `configure` was taken");
                match (kept, turn.flatten()) {
                    (Some(Err(error)), _) => tracing::debug!(
                        plugin,
                        "the snapshot after `configure` is not stored: {error:#}"
                    ),
                    (_, Some(turn)) => turn.made(),
                    _ => {}
                }
                Some(pre)
            }
            Err(error) => {
                tracing::debug!(
                    plugin,
                    "no snapshot after `configure`, so each call runs it: {error:#}"
                );
                None
            }
        }
    }

    /// The plugin's snapshot after `configure`, if the cache contains it.
    pub(super) fn found_after_configure(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Option<PluginPre<CallState>> {
        let wasm = self.wasm.as_ref()?;
        let room = &*self.room;
        let key = self.snapshot_key(wasm, settings, limits);
        let known = room.cache.as_ref()?.snapshots.find(&key)?;
        let made_of = self.pre.instance_pre().component();
        let pre = snapshot::load(room, &known, made_of, limits).ok()?;
        let plugin = &*self.name;
        tracing::debug!(plugin, "its snapshot after `configure` was found");
        Some(pre)
    }

    fn snapshot_key(&self, wasm: &[u8], settings: &str, limits: &Limits) -> Key {
        let engine = self.room.engine.precompile_compatibility_hash();
        Key::new(&engine, wasm, settings, limits.memory_bytes)
    }
}
