import { z } from 'zod'
import { link } from './common.ts'

/** `spec/api-workspace.md` 1.10. */
export const about = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    logo_url: link,
    subtitle: z.string(),
  })
  .meta({ id: 'About' })

/** Check → `working`, or what is wrong. */
export const health = z.record(z.string(), z.string()).meta({ id: 'Health' })

export const schemaQuery = z.object({ scheme: z.string().optional(), lang: z.string().optional() })
/** An OpenAPI document; JSON or YAML. */
export const document = z.unknown()
