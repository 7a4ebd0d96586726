import type { PartFacts } from '@reticle/contracts/rest/server'
import { mostNumbers as numbersPerRequest } from './bodies/check.ts'
import type { AnnotationsSettings } from './config.ts'
import { longestValue } from './validation/attributes.ts'
import { mostNumbers as numbersPerObject } from './validation/points.ts'

/** Returns the limits of annotations for `GET /server/limits`. */
export function describeLimits({
  settings,
}: {
  settings: Pick<AnnotationsSettings, 'maxObjects' | 'lockWaitMs'>
}): PartFacts {
  return {
    limits: {
      annotation_objects: settings.maxObjects,
      annotation_numbers: numbersPerRequest,
      annotation_numbers_per_object: numbersPerObject,
      attribute_value_characters: longestValue,
      annotation_lock_wait_ms: settings.lockWaitMs,
    },
    features: {},
    media: [],
    image_types: [],
  }
}
