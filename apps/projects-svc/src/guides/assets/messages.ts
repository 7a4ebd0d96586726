import type { Asset, AssetFile } from '@reticle/contracts/rest/assets'
import type { AssetRow } from '../../db/schema.ts'
import { type People, personOf } from '../../organizations/index.ts'

/** Converts a row to an asset record. */
export function toAsset(row: AssetRow, people: People): Asset {
  return {
    uuid: row.uuid,
    filename: row.filename,
    created_date: row.created_date.toISOString(),
    owner: personOf(people, row.owner_id),
    guide_id: row.guide_id,
  }
}

/**
 * Returns the object key and the response headers of an asset. The content of an asset never changes, so its uuid is
 * the ETag.
 */
export function toAssetFile(row: AssetRow): AssetFile {
  return {
    key: row.key,
    size: row.size,
    filename: row.filename,
    media_type: row.media_type,
    etag: `"${row.uuid}"`,
    created_date: row.created_date.toISOString(),
  }
}
