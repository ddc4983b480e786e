/// The `Range` of a request to the demo's origin (RFC 9110, section 14.2). Requests for several ranges get the whole clip.
enum DemoByteRange: Sendable, Hashable {
    /// No range, or an ignored one.
    case whole
    /// A byte range.
    case part(Range<Int>)
    /// A range outside the clip: status 416.
    case unsatisfiable

    /// Parses the field for a clip of `length` bytes.
    init(_ value: String?, length: Int) {
        self = .whole
        guard let value, value.hasPrefix("bytes="), !value.contains(",") else { return }
        let parts = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        switch (Int(parts[0]), Int(parts[1])) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (let first?, nil) where parts[1].isEmpty:
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let count?) where parts[0].isEmpty:
            self = count > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
        default: return
        }
    }
}
