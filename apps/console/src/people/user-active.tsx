import type { MetaUser } from '@reticle/sdk'
import { useToast } from '../ui/toasts.tsx'
import { changeUser } from './change-user.ts'

/** Shows whether an account is enabled, with a way to change it. */
export function UserActive({ user: { id, username, is_active = true } }: { user: MetaUser }) {
  const toast = useToast()
  const change = () =>
    changeUser(id, { is_active: !is_active }).then(
      () =>
        toast({
          text: `${username} is switched ${is_active ? 'off' : 'on'}.`,
          undo: () => changeUser(id, { is_active }),
        }),
      (error: Error) => toast({ text: error.message }),
    )
  return (
    <input
      type="checkbox"
      aria-label={`${username} is active`}
      checked={is_active}
      onChange={() => void change()}
    />
  )
}
