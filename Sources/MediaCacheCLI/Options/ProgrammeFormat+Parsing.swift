import MediaLibrary

extension ProgrammeFormat {
    /// Reads `hls`, `mp4` or `3gp`.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        guard let format = ProgrammeFormat(rawValue: text.lowercased()) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw ArgumentTextError("a programme is exported as \(known), not as “\(text)”")
        }
        self = format
    }
}
