import { z } from 'zod'

/** Records of `GET /server/annotation/formats` and `GET /server/formats/losses`. */

const option = z.object({ name: z.string(), type: z.string(), default: z.unknown() })
export const format = z
  .object({
    name: z.string(),
    ext: z.string(),
    version: z.string(),
    enabled: z.boolean(),
    dimension: z.enum(['2d', '3d']),
    kinds: z.array(z.string()),
    tracks: z.boolean(),
    attributes: z.boolean(),
    options: z.array(option),
  })
  .meta({ id: 'Format' })

const carriage = z.enum(['kept', 'converted', 'dropped'])

/**
 * Effect of an export on annotations of each kind and on their features
 * besides points (`tracks`, `attributes`, ...), as in its report.
 */
export const formatLosses = z
  .object({
    formats: z.array(
      z.object({
        name: z.string(),
        kinds: z.record(z.string(), carriage),
        features: z.record(z.string(), carriage),
      }),
    ),
  })
  .meta({ id: 'FormatLosses' })

export const formats = z
  .object({ importers: z.array(format), exporters: z.array(format) })
  .meta({ id: 'Formats' })
