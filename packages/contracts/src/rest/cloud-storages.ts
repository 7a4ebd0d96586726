import { z } from 'zod'
import { filter, integer, queryFlag, rawText, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser } from './users.ts'

/** Buckets of users, with the credentials to read and write them. See docs/spec/workspace.md#cloud-storages. */

/** Supported providers; also `cloud_providers` in `GET /server/capabilities`. */
export const cloudProviders = ['AWS_S3_BUCKET', 'AZURE_CONTAINER', 'GOOGLE_CLOUD_STORAGE'] as const

export const credentialsTypes = [
  'KEY_SECRET_KEY_PAIR',
  'ACCOUNT_NAME_TOKEN_PAIR',
  'KEY_FILE_PATH',
  'ANONYMOUS_ACCESS',
  'CONNECTION_STRING',
] as const

const longestKey = 1024
const mostManifests = 100

/** Record of a cloud storage, which never contains its credentials. */
export const cloudStorage = z
  .object({
    id: z.int(),
    provider_type: z.enum(cloudProviders),
    resource: z.string(),
    display_name: z.string(),
    description: z.string(),
    credentials_type: z.enum(credentialsTypes),
    specific_attributes: z.string(),
    manifests: z.array(z.string()),
    owner: basicUser.nullable(),
    organization: z.int().nullable(),
    created_date: timestamp,
    updated_date: timestamp,
  })
  .meta({ id: 'CloudStorage' })

/** Credentials; `credentials_type` determines which of them are required. */
const credentials = {
  key: rawText(40),
  secret_key: rawText(64),
  /** The limit fits temporary tokens of Amazon; a signature of Azure has at most 440 characters. */
  session_token: rawText(4096),
  account_name: text(24),
  /** JSON key of a service account; in a form, the file. */
  key_file: rawText(16_384),
  connection_string: rawText(1024),
}

const writable = {
  resource: text(222, 1),
  display_name: text(63, 1),
  description: text(32_768),
  credentials_type: z.enum(credentialsTypes),
  specific_attributes: text(1024),
  manifests: z.array(rawText(longestKey)).max(mostManifests),
  ...credentials,
}

export const cloudStorageCreate = z
  .object({ provider_type: z.enum(cloudProviders), ...writable })
  .partial()
  .required({ provider_type: true, resource: true, display_name: true, credentials_type: true })
  .meta({ id: 'CloudStorageCreate' })
/** Other keys, such as `provider_type`, are ignored. */
export const cloudStoragePatch = z.object(writable).partial().meta({ id: 'CloudStoragePatch' })

/** With `force`, objects that use the storage no longer do. */
export const cloudStorageRemoval = z.object({ force: filter(queryFlag) })

export const cloudStorageFields = listFields({
  equal: {
    id: 'integer',
    name: 'text',
    resource: 'text',
    owner: 'text',
    provider_type: cloudProviders,
    credentials_type: credentialsTypes,
  },
  more: { description: 'text' },
  search: ['provider_type', 'name', 'resource', 'credentials_type', 'owner', 'description'],
  order: '-id',
})
export const cloudStorageList = listOf(cloudStorageFields)

export const cloudStorageStatus = z.enum(['AVAILABLE', 'NOT_FOUND', 'FORBIDDEN'])
export const cloudStorageActions = z.array(z.enum(['read', 'write']))

const largestPage = 500

export const contentQuery = z.object({
  /** Prefix of keys, of which one level is listed; default: that of the storage. */
  prefix: filter(rawText(longestKey)),
  next_token: filter(rawText(8192)),
  page_size: filter(integer.pipe(z.int().min(1).max(largestPage))),
  /** One of `manifests`, whose entries are listed instead of the objects of the bucket. */
  manifest_path: filter(rawText(longestKey)),
})

export const contentTypes = ['REG', 'DIR'] as const
export const mimeTypes = ['image', 'video', 'archive', 'pdf', 'DIR', 'unknown'] as const

export const cloudStorageContent = z
  .object({
    content: z.array(
      z
        .object({ name: z.string(), type: z.enum(contentTypes), mime_type: z.enum(mimeTypes) })
        .meta({ id: 'CloudStorageEntry' }),
    ),
    next: z.string().nullable(),
  })
  .meta({ id: 'CloudStorageContent' })

/** Files of a bucket, for calls between services. */
export const sourceFiles = z
  .object({
    files: z.array(z.object({ key: z.string(), size: z.int() }).meta({ id: 'SourceFile' })),
    /** Token of the next page; absent on the last one. */
    next: z.string().optional(),
  })
  .meta({ id: 'SourceFiles' })

export type CloudProvider = (typeof cloudProviders)[number]
export type CredentialsType = (typeof credentialsTypes)[number]
export type CloudStorage = z.infer<typeof cloudStorage>
export type CloudStorageCreate = z.infer<typeof cloudStorageCreate>
export type CloudStoragePatch = z.infer<typeof cloudStoragePatch>
export type CloudStorageContent = z.infer<typeof cloudStorageContent>
export type SourceFiles = z.infer<typeof sourceFiles>
