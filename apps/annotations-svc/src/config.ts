import { addressPart, databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
import { setting } from '@reticle/kit/settings/config'
import { defineSettings } from '@reticle/kit/settings/parts'
import { z } from 'zod'

/** Reads the settings of annotations-svc from the environment. */
export const readConfig = defineSettings(
  z.object({
    RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES: setting.flag(true),
    RETICLE_ANNOTATIONS_MAX_OBJECTS: setting.whole(1_000_000, 1),
    RETICLE_ANNOTATIONS_HISTORY_DAYS: setting.whole(90, 0),
  }),
  (given) => ({
    /** Whether attribute values are checked against the type of their attribute. */
    strictAttributes: given.RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES,
    /** Maximum number of tags, shapes and tracks in one request. */
    maxObjects: given.RETICLE_ANNOTATIONS_MAX_OBJECTS,
    /** Days for which replaced objects are kept; 0: no history. */
    historyDays: given.RETICLE_ANNOTATIONS_HISTORY_DAYS,
    /** Milliseconds that a write waits for another write to the same job. */
    lockWaitMs: 10_000,
    /** Milliseconds that a call waits until pending label changes are applied to the annotations. */
    labelsWaitMs: 20_000,
    /** The same for calls of converters. Less than the ten minutes that a conversion may run without progress. */
    labelsLongWaitMs: 300_000,
  }),
)
export type AnnotationsSettings = ReturnType<typeof readConfig>

/** Parts of the configuration that the process of this service reads. */
export const processParts = {
  settings: readConfig,
  database: databasePart('ANNOTATIONS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
}
