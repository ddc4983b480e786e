import MediaLibrary

extension ProgrammeFormat {
    init(parsing text: String) throws {
        guard let format = ProgrammeFormat(rawValue: text.lowercased()) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw ArgumentTextError("“\(text)” is not an export format; use one of \(known)")
        }
        self = format
    }
}
