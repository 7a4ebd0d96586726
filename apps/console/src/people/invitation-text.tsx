import type { Invitation } from '@reticle/sdk'

/** Shows the inviting user, the organization and the role. */
export function InvitationText({ invitation }: { invitation: Invitation }) {
  const { owner, organization_info, role, expired } = invitation
  return (
    <p>
      {owner?.username ?? 'Somebody'} invites you into <strong>{organization_info.slug}</strong> as{' '}
      {role}.{expired && ' The invitation has expired: ask for it to be sent once more.'}
    </p>
  )
}
