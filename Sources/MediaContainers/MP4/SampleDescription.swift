/// One entry of `stsd`: the format, and how sound is packed.
struct SampleDescription: Sendable {
    /// The format as tracks tell it.
    var format: MediaFormat
    /// For uncompressed or packed sound: samples and bytes of a packet.
    var packing: SampleTable.Packing?
}
