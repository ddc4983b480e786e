import MediaLibrary

/// What `cover` says of the picture that it found.
struct CoverResult: Encodable, Sendable {
    /// What was read.
    var input: String
    /// The media type.
    var type: String
    /// The picture's bytes.
    var size: Int
    /// Where it came from.
    var source: CoverJob.Source
    /// Whether it's kept with the URL.
    var kept: Bool
    /// The file that was made.
    @Nullable var output: String?

    init(_ found: CoverJob.Found, input: String, output: String?) {
        self.input = input
        self.output = output
        type = found.cover.mediaType
        size = found.cover.bytes.count
        source = found.source
        kept = found.isKept
    }

    /// In words.
    var text: String {
        let name =
            switch source {
            case .kept: "The picture that is kept"
            case .embedded: "An embedded picture"
            case .frame: "A frame"
            }
        let what = "\(name) (\(type), \(ByteCount(Int64(size))))"
        return Table.printable(output.map { "\(what), put at \($0)." } ?? "\(what) of \(input).")
    }
}
