/// Moves a file's index to its front, so that playback can start before the end is there.
///
/// What is made is a layout: the file is written from it, or ranges of it are answered without writing.
public enum FastStart {
    /// Plans the rearranged file.
    ///
    /// Only the headers of the boxes and `moov` are read.
    ///
    /// - Parameter source: The file's bytes.
    /// - Returns: The layout; the file as it is when its index already comes before the media.
    /// - Throws: ``ContainerError`` when the file is no MP4, is damaged, or has fragments before its index.
    public static func layout<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayout {
        var planner = FastStartPlanner(length: source.length)
        while true {
            switch planner.step {
            case .done(let layout): return layout
            case .read(let range): try planner.supply(try source.bytes(range, limit: FastStartPlanner.largestIndex))
            }
        }
    }

    /// A read-only view of the rearranged file.
    ///
    /// - Parameter source: The file's bytes.
    /// - Throws: As ``layout(of:)``.
    public static func view<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayoutView<Source> {
        ByteLayoutView(layout: try layout(of: source), source: source)
    }
}
