import { recordAnswer, type Translations } from '../dialect.ts'
import { omitNulls } from './omit.ts'

export const assets: Translations = {
  createAsset: recordAnswer((asset) => omitNulls(asset, ['owner'])),
}
