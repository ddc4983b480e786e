import Foundation
import MediaCache

/// The parsing of files of URLs, one per line. Empty lines and lines that begin with `#` are ignored.
enum URLFile {
    /// Returns the URLs in a file; `-` is standard input. Errors name the invalid line.
    static func read(_ path: String) throws -> [ResourceURL] {
        let data: Data
        do {
            data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(.failed, "--input-file “\(path)” can't be read; check its path and permissions")
        }
        do {
            return try parse(String(decoding: data, as: UTF8.self))
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "--input-file \(path): \(error)")
        }
    }

    static func parse(_ text: String) throws -> [ResourceURL] {
        var urls: [ResourceURL] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
            do {
                urls.append(try URLArgument.parse(trimmed))
            } catch let error as ArgumentTextError {
                throw ArgumentTextError("line \(index + 1): \(error)")
            }
        }
        return urls
    }
}
