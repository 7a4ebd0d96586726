import { z } from 'zod'

/** `GET /server/annotation/formats`: `spec/api-annotations.md` 3; `GET /server/formats/losses`: `spec/extensions.md` 9. */

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
 * What becomes of annotations of each kind in an export, and of what those have beside their points (`tracks`, `attributes`, ...):
 * what its report tells of.
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
