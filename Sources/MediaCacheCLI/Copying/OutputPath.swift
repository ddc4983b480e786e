import Foundation
import MediaCache

/// The file that `-o` means.
enum OutputPath {
    /// `argument` itself, or, if it names a folder, a file in it with the name the URL ends in.
    static func resolve(_ argument: String, for url: ResourceURL) -> String {
        resolve(argument, name: fileName(for: url))
    }

    /// `argument` itself, or, if it names a folder, a file in it that is called by a title.
    static func resolve(_ argument: String, title: String, extension suffix: String) -> String {
        let name = visible(title.last == "." ? String(title.dropLast()) : title)
        return resolve(argument, name: "\(name.isEmpty ? "stream" : name).\(suffix)")
    }

    private static func resolve(_ argument: String, name: String) -> String {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder)
        guard argument.hasSuffix("/") || (exists && isFolder.boolValue) else { return argument }
        return "\(argument.hasSuffix("/") ? argument : argument + "/")\(name)"
    }

    /// `argument` itself, or, if it names a folder, a file in it that is called like the input.
    static func resolve(_ argument: String, for input: InputArgument) -> String {
        switch input {
        case .url(let url): return resolve(argument, for: url)
        case .file(let path): return resolve(argument, name: URL(fileURLWithPath: path).lastPathComponent)
        case .standardInput: return argument
        }
    }

    /// The last part of the URL's path as the name of a file: decoded, without what could lead elsewhere or hide it.
    static func fileName(for url: ResourceURL) -> String {
        let last = url.path.split(separator: "/").last.map(String.init) ?? ""
        let decoded = last.removingPercentEncoding ?? last
        let name = visible(decoded)
        return name.isEmpty ? url.host.filter { $0 != "[" && $0 != "]" && $0 != ":" } : name
    }

    /// A name without what could lead elsewhere or hide it.
    private static func visible(_ text: String) -> String {
        let name = Table.printable(text).map { $0 == "/" || $0 == "\\" || $0 == "?" ? "_" : $0 }
        // Most file systems take 255 bytes; the end, with the extension, matters more.
        var kept = name.drop { $0 == "." }
        while String(kept).utf8.count > 200 { kept = kept.dropFirst() }
        return String(kept)
    }
}
