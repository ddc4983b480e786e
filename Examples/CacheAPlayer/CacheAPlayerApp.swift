#if canImport(SwiftUI)
    import AVKit
    import MediaLibrary
    import SwiftUI

    /// An app with a list of titles, a player, downloads, and a storage screen.
    @main
    struct CacheAPlayerApp: App {
        @State private var model: MediaModel?
        @State private var problem: String?
        @Environment(\.scenePhase) private var phase

        var body: some Scene {
            WindowGroup {
                if let model {
                    TitlesView(model: model)
                } else {
                    Text(problem ?? "Opening…").task { await open() }
                }
            }
            .onChange(of: phase) { _, phase in
                guard let model, phase != .inactive else { return }
                let isActive = phase == .active
                // Called directly rather than in a task, to preserve the order of the changes.
                model.setActive(isActive)
                // The system doesn't suspend the app before this block returns, unless the time expires.
                ProcessInfo.processInfo.performExpiringActivity(withReason: "closing the cache") { isExpired in
                    guard !isExpired, !isActive else { return }
                    let done = DispatchSemaphore(value: 0)
                    Task {
                        await model.settled()
                        done.signal()
                    }
                    done.wait()
                }
            }
        }

        private func open() async {
            let titles = [
                ("A film", "https://example.org/film.mp4"), ("A stream", "https://example.org/stream/index.m3u8"),
            ].compactMap { name, text in URL(string: text).map { MediaModel.Title(name: name, url: $0) } }
            do {
                model = try await MediaModel(titles)
            } catch {
                problem = "\(error)"
            }
        }
    }

    /// The titles, the player, and a link to the storage screen.
    struct TitlesView: View {
        let model: MediaModel

        var body: some View {
            NavigationStack {
                List {
                    Section("Titles") {
                        ForEach(model.titles) { title in
                            HStack {
                                Button(title.name) { Task { await model.play(title) } }
                                Spacer()
                                Button("Download", systemImage: "arrow.down.circle") {
                                    Task { await model.download(title) }
                                }
                                .labelStyle(.iconOnly)
                            }
                            .buttonStyle(.borderless)
                        }
                    }
                    if let playing = model.playing {
                        Section(playing.title.name) {
                            VideoPlayer(player: model.player).frame(minHeight: 200)
                            if let fraction = playing.state.fractionCached {
                                ProgressView("Cached", value: fraction)
                            }
                            if let failure = playing.state.failure { Text("\(failure)").foregroundStyle(.red) }
                        }
                    }
                    if let problem = model.problem { Text(problem).foregroundStyle(.red) }
                    NavigationLink("Storage") { StorageView(model: model) }
                }
                .navigationTitle("Cache a player")
            }
        }
    }

    /// The downloads with their sizes, and the usage of the cache.
    struct StorageView: View {
        let model: MediaModel

        var body: some View {
            List {
                ForEach(model.downloads, id: \.asset.id) { status in
                    HStack {
                        Text(status.asset.title ?? status.asset.url)
                        Spacer()
                        Text(status.progress.bytes.formatted(.byteCount(style: .file)))
                        Group {
                            Button("Play", systemImage: "play.circle") { Task { await model.playOffline(status) } }
                            Button("Set cover", systemImage: "photo") {
                                Task { await model.takeCover(of: status) }
                            }
                        }
                        .labelStyle(.iconOnly)
                    }
                }
                if let usage = model.usage {
                    LabeledContent("Total", value: usage.bytes.formatted(.byteCount(style: .file)))
                    LabeledContent("Free", value: usage.freeDiskBytes.formatted(.byteCount(style: .file)))
                    Button("Remove all but downloads", role: .destructive) { Task { await model.empty() } }
                }
            }
            .navigationTitle("Storage")
            .task { await model.refresh() }
        }
    }
#else
    // Without SwiftUI only the model is compiled, against stubs (`make check-apple`).
    @main
    enum CacheAPlayer {
        static func main() {}
    }
#endif
