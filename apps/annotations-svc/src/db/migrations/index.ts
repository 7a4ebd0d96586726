import { annotations } from './0001-annotations.ts'
import { labelChanges } from './0002-label-changes.ts'
import { outboxSent } from './0003-outbox-sent.ts'
import { jobPlace } from './0004-job-place.ts'
import { idempotencyKeys } from './0005-idempotency-keys.ts'
import { labelUpkeep } from './0007-label-upkeep.ts'
import { generations } from './0008-generations.ts'
import { history } from './0009-history.ts'
import { replacedKey } from './0010-replaced-key.ts'
import { deletedLabels } from './0011-deleted-labels.ts'

export const migrations = {
  '0001-annotations': annotations,
  '0002-label-changes': labelChanges,
  '0003-outbox-sent': outboxSent,
  '0004-job-place': jobPlace,
  '0005-idempotency-keys': idempotencyKeys,
  '0007-label-upkeep': labelUpkeep,
  '0008-generations': generations,
  '0009-history': history,
  '0010-replaced-key': replacedKey,
  '0011-deleted-labels': deletedLabels,
}
