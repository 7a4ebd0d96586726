/** Typed client of Reticle's REST API, for Node.js 20 and later and for browsers. */
export type {
  Items,
  SetChange,
  SetItem,
  SetItemChange,
  SetItemWrite,
  SetWrite,
} from './annotations/items.ts'
export { type AnswerOf, type Client, createClient, type InputOf } from './client/client.ts'
export type { Methods } from './client/generated/methods.ts'
export type { JsonLogic } from './client/method-types.ts'
export { Changed, type Download, type DownloadOptions, type Source } from './downloads/download.ts'
export { apiVersion } from './generated/rows.ts'
export type * from './generated/schemas.ts'
export type { Page } from './http/lists.ts'
export type { CallOptions } from './http/options.ts'
export type { ClientOptions } from './http/settings.ts'
export {
  type Following,
  type FollowOptions,
  RequestFailed,
  type Started,
} from './requests/follow.ts'
export type { WatchOptions } from './requests/watch.ts'
export { ApiError, ConnectionError, type Fields, UnexpectedAnswer } from './responses/errors.ts'
export { type FileSource, type Files, fromBytes, fromStream } from './uploads/sources.ts'
export { memoryStore, type UploadStore } from './uploads/store.ts'
export type { UploadOptions } from './uploads/upload.ts'
export { verifyWebhook } from './webhooks.ts'
