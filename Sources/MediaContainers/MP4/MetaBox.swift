/// The two forms of `meta`: a full box in ISO files, a plain box in QuickTime's.
enum MetaBox {
    /// Whether version and flags come first: in QuickTime's form the type of the first box is there instead.
    static func hasVersion(_ payload: ByteReader) -> Bool {
        var reader = payload
        guard (try? reader.skip(4)) != nil, let type = try? reader.fourCC() else { return true }
        return type != "hdlr" && type != "keys" && type != "ilst" && type != "mhdr"
    }
}
