//! The CubeCL backend of opswitch.
