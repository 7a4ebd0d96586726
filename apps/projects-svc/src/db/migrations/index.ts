import type { Migrations } from '@reticle/kit/db/migrate'
import * as identity from './0001-identity.ts'
import * as workspace from './0002-workspace.ts'
import { outboxSent } from './0003-outbox-sent.ts'
import { organizations } from './0004-organizations.ts'
import { sessions } from './0005-sessions.ts'
import { issues } from './0006-issues.ts'
import { guides } from './0007-guides.ts'
import { groundTruth } from './0008-ground-truth.ts'
import { assets } from './0010-assets.ts'
import { cloudStorages } from './0011-cloud-storages.ts'
import { idempotencyKeys } from './0013-idempotency-keys.ts'
import { frameNames } from './0014-frame-names.ts'
import { media } from './0015-media.ts'
import { drafts } from './0016-drafts.ts'
import { tokenDialect } from './0017-token-dialect.ts'
import { storageInside } from './0018-storage-inside.ts'
import { passwordOrigins } from './0020-password-origins.ts'
import { passwordFailuresAddress } from './0021-password-failures-address.ts'
import { tokenSession } from './0022-token-session.ts'
import { annotationTouches } from './0023-annotation-touches.ts'
import { recordRevisions } from './0024-record-revisions.ts'
import { labelChanges } from './0025-label-changes.ts'
import { videoChapters } from './0026-video-chapters.ts'

/** Migrations of the schema `projects`, in order. A released step never changes. */
export const migrations: Migrations = {
  '0001-identity': identity,
  '0002-workspace': workspace,
  '0003-outbox-sent': outboxSent,
  '0004-organizations': organizations,
  '0005-sessions': sessions,
  '0006-issues': issues,
  '0007-guides': guides,
  '0008-ground-truth': groundTruth,
  '0010-assets': assets,
  '0011-cloud-storages': cloudStorages,
  '0013-idempotency-keys': idempotencyKeys,
  '0014-frame-names': frameNames,
  '0015-media': media,
  '0016-drafts': drafts,
  '0017-token-dialect': tokenDialect,
  '0018-storage-inside': storageInside,
  '0020-password-origins': passwordOrigins,
  '0021-password-failures-address': passwordFailuresAddress,
  '0022-token-session': tokenSession,
  '0023-annotation-touches': annotationTouches,
  '0024-record-revisions': recordRevisions,
  '0025-label-changes': labelChanges,
  '0026-video-chapters': videoChapters,
}
