import {
  defaultPayloadConverter,
  rawValueTypeInfo,
  type RawValue,
  type TypeInfo,
} from '@temporalio/common';
import { defineSignal, setHandler } from '@temporalio/workflow';

/**
 * Takes a signal whatever it carries: its payload reaches the handler unread and is read here, because a payload that
 * the SDK cannot convert would fail the workflow task, and with it the task, for good.
 * @param receive - gets the value, or `undefined` where there is none or none can be read
 * @see UT-399
 */
export function onSignal(name: string, receive: (value: unknown) => void): void {
  const unread = defineSignal<[RawValue?]>(name, { typeInfo: { inputTypes: everyArgumentRaw } });
  setHandler(unread, (raw) => receive(valueOf(raw)));
}

/** Type information by position, for any number of arguments: what nobody reads must not be converted either. */
const everyArgumentRaw: readonly TypeInfo[] = new Proxy([], { get: () => rawValueTypeInfo });

function valueOf(raw: RawValue | undefined): unknown {
  try {
    return raw === undefined ? undefined : defaultPayloadConverter.fromPayload(raw.payload);
  } catch {
    return undefined;
  }
}
