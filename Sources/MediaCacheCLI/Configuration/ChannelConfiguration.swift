import Foundation
import HTTPTypes
import MediaCache
import MediaLibrary

/// The declared channels. Options take precedence over the environment, the environment over the file.
///
/// The environment can set each value of an entry except headers: `MEDIACACHE_CHANNELS_NEWS_KEEP=48h`.
/// `MEDIACACHE_CHANNELS=news,sport` adds channels to those of the file.
struct ChannelConfiguration {
    enum Key: String, CaseIterable {
        case url, variant, audio, subtitles, keep, maxSize, keepSegments, keepFree, stopped, endsWithStream
    }

    var file: ConfigurationFile?
    /// The declarations of `--channel` in order.
    var declared: [ChannelDeclaration] = []
    var environment: [String: String] = [:]

    init(file: ConfigurationFile?, declared: [ChannelDeclaration] = [], environment: [String: String] = [:]) {
        (self.file, self.declared, self.environment) = (file, declared, environment)
    }

    func channels() throws -> [ChannelRequest] {
        var names = file?.channels.map(\.name) ?? []
        names +=
            environment["MEDIACACHE_CHANNELS"]?.split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            } ?? []
        names += declared.map(\.name.rawValue)
        var seen: Set<String> = []
        return try names.filter { seen.insert($0).inserted }.map { name in
            do {
                let headers = file?.channels.first { $0.name == name }?.headers ?? [:]
                return try Self.request(named: name, headers: headers) { value(of: $0, in: name) }
            } catch let error as ArgumentTextError {
                throw CommandFailure(.usage, "\(sourceDescription(of: name)): \(error)")
            }
        }
    }

    /// Returns where a channel is declared, for messages.
    func sourceDescription(of name: String) -> String {
        if let file, let index = file.channels.firstIndex(where: { $0.name == name }) {
            return "\(file.path): channels[\(index)] “\(name)”"
        }
        if declared.contains(where: { $0.name.rawValue == name }) { return "--channel \(name)" }
        return "$MEDIACACHE_CHANNELS “\(name)”"
    }

    private func value(of key: Key, in name: String) -> String? {
        if key == .url, let option = declared.last(where: { $0.name.rawValue == name }) { return option.url }
        let parts = [name, key.rawValue].map(Setting.variableName)
        if let text = environment["MEDIACACHE_CHANNELS_\(parts[0])_\(parts[1])"] { return text }
        return file?.channels.last { $0.name == name && $0.values[key.rawValue] != nil }?.values[key.rawValue]
    }

    private static func request(
        named text: String, headers: [String: String], _ value: (Key) -> String?
    ) throws -> ChannelRequest {
        let name = try ChannelArgument.parse(text)
        guard let url = value(.url) else { throw ArgumentTextError("url is missing; give the URL of the stream") }
        for (field, value) in headers {
            guard HTTPField.Name(field) != nil, HTTPField.isValidValue(value) else {
                throw ArgumentTextError("“\(field)” in headers is not a header field with a valid name and value")
            }
        }
        var request = ChannelRequest(
            name: name, url: try URLArgument.parse(url), headers: headers, endsWithStream: false)
        try read(value(.variant), .variant) { request.selection.variants = try TrackOptions.variants($0) }
        try read(value(.audio), .audio) { request.selection.audio = try TrackOptions.languages($0) }
        try read(value(.subtitles), .subtitles) { request.selection.subtitles = try TrackOptions.languages($0) }
        try read(value(.keep), .keep) {
            request.retention.seconds = try AgeLimit(parsing: $0).duration.map { $0 / .seconds(1) }
        }
        try read(value(.maxSize), .maxSize) { request.retention.bytes = try SizeLimit(parsing: $0).bytes }
        try read(value(.keepSegments), .keepSegments) {
            request.retention.segments = try SegmentLimit(parsing: $0).count
        }
        try read(value(.keepFree), .keepFree) { request.retention.freeBytes = try SizeLimit(parsing: $0).bytes }
        try read(value(.stopped), .stopped) { request.starts = !(try ConfigurationText.flag($0)) }
        try read(value(.endsWithStream), .endsWithStream) { request.endsWithStream = try ConfigurationText.flag($0) }
        let limits = [request.retention.seconds, request.retention.bytes.map(Double.init)]
        guard !limits.contains(0), request.retention.segments != 0 else {
            throw ArgumentTextError("a limit must be more than 0; use “none” for no limit")
        }
        return request
    }

    private static func read(_ text: String?, _ key: Key, _ body: (String) throws -> Void) throws {
        guard let text else { return }
        do {
            try body(text)
        } catch let error as ArgumentTextError {
            throw ArgumentTextError("\(key.rawValue): \(error)")
        }
    }
}

/// The value of `--channel`, which declares a channel: `NAME=URL`.
struct ChannelDeclaration: Sendable, Hashable {
    var name: ChannelName
    var url: String

    init(parsing text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw ArgumentTextError("“\(text)” doesn't declare a channel; write it as NAME=URL")
        }
        name = try ChannelArgument.parse(String(text[..<equals]))
        url = try URLArgument.check(String(text[text.index(after: equals)...]))
    }
}
