import { defineInterface } from './interfaces.ts';

const notifications = '__x_ABI_CWindows_CUI_CNotifications_C';

export const IToastNotificationManagerStatics = defineInterface(
  `${notifications}IToastNotificationManagerStatics`,
  '50ac103f-d235-4598-bbef-98fe4d1a3ad4',
  { CreateToastNotifierWithId: [7, 'u64', 'ptr'] },
  'wine',
);

export const IToastNotifier = defineInterface(
  `${notifications}IToastNotifier`,
  '75927b93-03f3-41ec-91d3-6e5bac1b38e7',
  { Show: [6, 'u64'], Hide: [7, 'u64'], get_Setting: [8, 'ptr'] },
  'wine',
);

export const IToastNotificationFactory = defineInterface(
  `${notifications}IToastNotificationFactory`,
  '04124b20-82c6-4229-b109-fd9ed4662b53',
  { CreateToastNotification: [6, 'u64', 'ptr'] },
  'wine',
);

export const IToastNotification = defineInterface(
  `${notifications}IToastNotification`,
  '997e2675-059e-4e60-8b06-1760917c8b80',
  {
    add_Dismissed: [9, 'u64', 'ptr'],
    remove_Dismissed: [10, 'i64'],
    add_Activated: [11, 'u64', 'ptr'],
    remove_Activated: [12, 'i64'],
    add_Failed: [13, 'u64', 'ptr'],
    remove_Failed: [14, 'i64'],
  },
  'wine',
);

export const IToastNotification2 = defineInterface(
  `${notifications}IToastNotification2`,
  '9dfb9fd1-143a-490e-90bf-b9fba7132de7',
  { put_Tag: [6, 'u64'] },
  'wine',
);

export const IToastActivatedEventArgs = defineInterface(
  `${notifications}IToastActivatedEventArgs`,
  'e3bf92f3-c197-436f-8265-0625824f8dac',
  { get_Arguments: [6, 'ptr'] },
  'wine',
);

export const IXmlDocumentIO = defineInterface(
  '__x_ABI_CWindows_CData_CXml_CDom_CIXmlDocumentIO',
  '6cd0e74e-ee65-4489-9ebf-ca43e87ba637',
  { LoadXml: [6, 'u64'] },
  'wine',
);

const handler = '__FITypedEventHandler_2_Windows__CUI__CNotifications__CToastNotification_';

export const ActivatedHandler = defineInterface(
  `${handler}IInspectable`,
  'ab54de2d-97d9-5528-b6ad-105afe156530',
  { Invoke: [3] },
  'wine',
);

export const DismissedHandler = defineInterface(
  `${handler}Windows__CUI__CNotifications__CToastDismissedEventArgs`,
  '61c2402f-0ed0-5a18-ab69-59f4aa99a368',
  { Invoke: [3] },
  'wine',
);

export const FailedHandler = defineInterface(
  `${handler}Windows__CUI__CNotifications__CToastFailedEventArgs`,
  '95e3e803-c969-5e3a-9753-ea2ad22a9a33',
  { Invoke: [3] },
  'wine',
);
