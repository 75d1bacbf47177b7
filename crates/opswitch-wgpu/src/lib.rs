//! The wgpu backend of opswitch.
