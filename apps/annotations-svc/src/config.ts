import { setting } from '@reticle/kit/config'
import { part } from '@reticle/kit/process/parts'
import { addressPart, databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** What annotations-svc is told at start (`reliability.md` 16.5). */
export const readConfig = part(
  z.object({
    RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES: setting.flag(true),
    RETICLE_ANNOTATIONS_MAX_OBJECTS: setting.whole(1_000_000, 1),
    RETICLE_ANNOTATIONS_HISTORY_DAYS: setting.whole(90, 0),
  }),
  (given) => ({
    /** Values of attributes are checked against the type of their attribute. */
    strictAttributes: given.RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES,
    /** Tags, shapes and tracks of one request at most. */
    maxObjects: given.RETICLE_ANNOTATIONS_MAX_OBJECTS,
    /** How long what a change replaced is kept; 0: not at all. */
    historyDays: given.RETICLE_ANNOTATIONS_HISTORY_DAYS,
    /** How long a write waits for another one of the same job (`spec/api-annotations.md` 1.12). */
    lockWaitMs: 10_000,
    /** How long a call waits until annotations follow a change of their labels. */
    labelsWaitMs: 20_000,
    /** The same for work in the background; less than a conversion may take without progress. */
    labelsLongWaitMs: 300_000,
  }),
)
export type AnnotationsSettings = ReturnType<typeof readConfig>

/** What the process of this service reads. */
export const processParts = {
  settings: readConfig,
  database: databasePart('ANNOTATIONS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
}
