// error: missing import of defining module 'MediaCache'
import MediaCacheAVFoundation

func text(of asset: CachingAsset) -> String { asset.resource.description }
