import Foundation

extension ConfigurationFile {
    /// Replaces the values of settings that the file contains. The rest of the file, such as its order and white space,
    /// doesn't change.
    ///
    /// - Parameter changes: The new values as text. Those of ``Setting/limitClassRate`` replace only the rates of their
    ///   classes.
    /// - Returns: The replaced settings.
    /// - Throws: ``CommandFailure`` if the file can't be read or replaced.
    func replace(_ changes: [Setting: String]) throws -> [Setting] {
        let replaced = Setting.allCases.filter { changes[$0] != nil && values[$0] != nil && changes[$0] != values[$0] }
        guard !replaced.isEmpty else { return [] }
        // The file behind a symbolic link is replaced, not the link.
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        do {
            var text = Array(try Data(contentsOf: url))
            for setting in replaced {
                var value = changes[setting] ?? ""
                if setting == .limitClassRate { value = Self.merging(value, into: values[setting] ?? "") }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.withoutEscapingSlashes]
                let json = Array(try encoder.encode(setting.value(of: value)))
                for range in JSONMembers.values(of: setting.rawValue, in: text).reversed() {
                    text.replaceSubrange(range, with: json)
                }
            }
            try Self.replaceFile(at: url, with: Data(text))
        } catch {
            let names = replaced.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                .partial,
                "the change applies now, but “\(path)” can't be written and sets \(names) again at the next start; "
                    + "change it there too")
        }
        return replaced
    }

    /// Replaces a file atomically. The new file has the mode, owner and group of the old one: a server may read it as a
    /// member of its group, and it may contain secrets. If these attributes can't be set, the file doesn't change.
    private static func replaceFile(at url: URL, with data: Data) throws {
        let files = FileManager.default
        let kept: Set<FileAttributeKey> = [.posixPermissions, .ownerAccountID, .groupOwnerAccountID]
        let attributes = try files.attributesOfItem(atPath: url.path).filter { kept.contains($0.key) }
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        do {
            guard files.createFile(atPath: temporary.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw CocoaError(.fileWriteUnknown)
            }
            let handle = try FileHandle(forWritingTo: temporary)
            defer { try? handle.close() }
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try files.setAttributes(attributes, ofItemAtPath: temporary.path)
            guard rename(temporary.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? files.removeItem(at: temporary)
            throw error
        }
    }

    /// Returns the rates of `old` and `new`. A rate in `new` replaces the one of the same class in `old`.
    private static func merging(_ new: String, into old: String) -> String {
        let setting = Setting.limitClassRate
        let name = { (item: String) in item.prefix { $0 != "=" } }
        let added = setting.items(of: new)
        let rest = setting.items(of: old).filter { item in !added.contains { name($0) == name(item) } }
        return (rest + added).joined(separator: "\n")
    }
}

/// The members of the top-level object of a valid JSON text.
private enum JSONMembers {
    /// Returns the ranges of the values of a key, in order.
    static func values(of key: String, in text: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = text.firstIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? text.count
        while let start = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
            let end = endOfString(from: start, in: text)
            let name = try? JSONDecoder().decode(String.self, from: Data(text[start..<end]))
            guard let colon = text[end...].firstIndex(of: UInt8(ascii: ":")),
                let first = text[(colon + 1)...].firstIndex(where: { !isSpace($0) })
            else { return ranges }
            let last = endOfValue(from: first, in: text)
            if name == key { ranges.append(first..<last) }
            index = last
        }
        return ranges
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func endOfString(from start: Int, in text: [UInt8]) -> Int {
        var index = start + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.count)
    }

    /// Returns the end of a value, without trailing white space. The next comma or closing bracket outside strings and
    /// nested values terminates the value.
    private static func endOfValue(from start: Int, in text: [UInt8]) -> Int {
        var (index, depth, end) = (start, 0, start)
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(from: index, in: text)
                end = index
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return end }
                if text[index] != UInt8(ascii: ",") { depth -= 1 }
            default: break
            }
            index += 1
            if !isSpace(text[index - 1]) { end = index }
        }
        return end
    }
}
