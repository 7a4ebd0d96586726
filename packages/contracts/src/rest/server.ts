import { z } from 'zod'
import { bytesAs, link, queryFlag } from './common.ts'

/** Description of the server. See docs/spec/rest.md#server-endpoints. */
export const about = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    logo_url: link,
    subtitle: z.string(),
  })
  .meta({ id: 'About' })

/** `details` is for administrators only. */
export const healthQuery = z.object({ details: queryFlag.optional() })

export const checked = z
  .object({
    status: z.enum(['working', 'failing']),
    took_ms: z.number(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'HealthCheck' })

/** Checks by name, each `working` or a failure; with details a record of each. */
export const health = z.record(z.string(), z.union([z.string(), checked])).meta({ id: 'Health' })

/** Features that web pages of the de-facto standard query; the last two were removed there after 2.58. */
export const plugins = z
  .object({
    ANALYTICS: z.boolean(),
    MODELS: z.boolean(),
    GIT_INTEGRATION: z.boolean(),
    PREDICT: z.boolean(),
  })
  .meta({ id: 'Plugins' })

export const videoDecoders = ['ffmpeg', 'node-av'] as const

export const capabilities = z
  .object({
    media: z.array(z.string()),
    image_types: z.array(z.string()),
    video: z.boolean(),
    /** Decoder of videos, a program or a package; null if videos are not supported. */
    video_decoder: z.enum(videoDecoders).nullable(),
    pdf: z.boolean(),
    point_cloud: z.boolean(),
    cloud_providers: z.array(z.string()),
    email: z.boolean(),
    registration: z.boolean(),
    analytics: z.boolean(),
    share: z.boolean(),
    max_upload_bytes: z.int(),
    max_jobs_per_task: z.int(),
    dialects: z.array(z.string()),
  })
  .meta({ id: 'Capabilities' })

/** Limits by name. See docs/spec/rest.md#limits. */
export const limits = z.record(z.string(), z.number()).meta({ id: 'Limits' })

/** Limits and capabilities of one service; the gateway combines them. */
export const partFacts = z
  .object({
    limits: z.record(z.string(), z.int()),
    features: z.record(z.string(), z.boolean()),
    media: z.array(z.string()),
    image_types: z.array(z.string()),
    video_decoder: z.enum(videoDecoders).optional(),
  })
  .meta({ id: 'PartFacts' })

export const shareQuery = z.object({
  directory: z.string().max(4096).optional(),
  search: z.string().max(1024).optional(),
})

/** `mime_type` is a family: image, video, archive, pdf, unknown; DIR for folders. */
export const shareEntry = z
  .object({ name: z.string(), type: z.enum(['REG', 'DIR']), mime_type: z.string() })
  .meta({ id: 'ShareEntry' })
export const shareListing = z.object({ entries: z.array(shareEntry) }).meta({ id: 'ShareListing' })

export const schemaQuery = z.object({ scheme: z.string().optional(), lang: z.string().optional() })
export const document = bytesAs(
  'application/vnd.oai.openapi',
  'application/vnd.oai.openapi+json',
  'application/json',
)
export const pageToRead = bytesAs('text/html')

export type Capabilities = z.infer<typeof capabilities>
export type PartFacts = z.infer<typeof partFacts>
export type ShareEntry = z.infer<typeof shareEntry>
