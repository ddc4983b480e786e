import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The result of `cover`.
struct CoverResult: Encodable, Sendable {
    var input: String
    var type: String
    var size: Int
    var source: CoverJob.Source
    var isStored: Bool
    @Nullable var output: String?

    init(_ found: CoverJob.Found, input: String, output: String?) {
        self.input = input
        self.output = output
        type = found.cover.mediaType
        size = found.cover.bytes.count
        source = found.source
        isStored = found.isStored
    }

    var text: String {
        let name =
            switch source {
            case .stored: "Stored cover"
            case .embedded: "Embedded picture"
            case .frame: "Frame"
            }
        let picture = "\(name) (\(type), \(ByteCount(Int64(size))))"
        return Table.printable(output.map { "\(picture) written to \($0)." } ?? "\(picture) of \(input).")
    }
}
