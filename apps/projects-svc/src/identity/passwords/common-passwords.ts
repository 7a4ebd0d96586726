/**
 * Passwords that attackers try first, in lower case. Shorter ones and those of digits only are left out, because
 * other rules reject them.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  password password1 password2 password3 password12 password123 password1234 password12345 password123456
  password! password1! password123! password@1 password@123 passw0rd passw0rd1 p@ssword p@ssw0rd p@ssw0rd1 p@ssword1
  pa55word pa$$word pa$$w0rd pass1234 pass12345 pass123456 pass@123 pass@1234 passpass passport password0 password01
  password7 password9 password99 password00 password11 password21 password69 passwords mypassword yourpassword
  nopassword thepassword newpassword oldpassword changeme changeme1 changeme123 changemenow changeit changeit1
  qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty1! qwertyqwerty qwerty99 qwerty11
  qwerty78 qwertz123 qwertzui azertyui azerty123 azertyuiop 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc
  1qazxsw2 2wsx3edc q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxedc qazwsx123 qazwsxedcrfv zaq12wsx zaq1zaq1 zaq1xsw2
  zxcvbnm1 zxcvbnm, zxcvbnm123 zxcvbnmm asdfghjk asdfghjkl asdfghjkl; asdfghjkl1 asdfasdf asdf1234 asdf12345 asdfjkl;
  asdqwe123 qweasdzxc qweasd123 qwe123qwe qwe12345 qweqweqwe 123qweasd 123qwe123 123qweasdzxc qweqwe123 zxczxczxc
  abcdefgh abcdefghi abcdefg1 abcdefghij abcd1234 abcd12345 abcd123456 abc12345 abc123456 abc1234567 abcabcabc abcabc123
  a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678 aaa111222 a1234567 a12345678 a123456789 a1s2d3f4 ab123456 abc123abc
  1234abcd 12345abc 123456ab 123456abc 12345678a 123456789a 12345qwe 12345qwert 1234qwer 1234rewq 123abc123 123456qwerty
  q1234567 q12345678 q123456789 z1234567 w1234567 s1234567 qwer1234 qwer12345 qwer4321 rewq4321 asd12345 asd123456
  iloveyou iloveyou1 iloveyou2 iloveyou! iloveyou12 iloveyou123 ilovegod ilovejesus iloveme1 iloveyousomuch iloveher
  welcome1 welcome2 welcome12 welcome123 welcome1! welcome@123 letmein1 letmein12 letmein123 letmeinn letmeinnow
  administrator administrator1 admin123 admin1234 admin12345 admin123456 admin@123 admin@1234 adminadmin admin2020
  admin2021 admin2022 admin2023 admin2024 admin2025 admin2026 rootroot rootpass root1234 toor1234 superuser superman
  superman1 superman123 supervisor superstar supersecret secret123 secret12 secretsecret topsecret testtest test1234
  test12345 test123456 testing1 testing123 testpass testpassword test@123 guest123 guest1234 guestguest user1234 user12345
  useruser username username1 defaultpassword default1 demo1234 demodemo temp1234 temppass temporary temporary1
  trustno1 trustnoone whatever whatever1 computer computer1 computer123 internet internet1 internet123 hello123 hello1234
  hello12345 hellohello helloworld helloworld1 hello@123 freedom1 freedom123 princess princess1 princess12 princess123
  sunshine sunshine1 sunshine12 sunshine123 football football1 football12 football123 baseball baseball1 baseball12
  basketball basketball1 softball1 volleyball liverpool liverpool1 liverpool123 chelsea1 chelsea123 arsenal1 arsenal123
  barcelona barcelona1 manchester manchester1 manutd123 juventus realmadrid steelers steelers1 packers1 cowboys1
  lakers24 yankees1 starwars starwars1 startrek startrek1 pokemon1 pokemon123 batman123 spiderman spiderman1 matrix123
  dragon12 dragon123 dragonball monkey12 monkey123 shadow12 shadow123 master12 master123 mastermind killer12 killer123
  michael1 michael12 michelle michelle1 jennifer jennifer1 jessica1 jordan23 jordan123 ashley12 charlie1 charlie123
  andrew12 daniel12 daniel123 anthony1 matthew1 nicholas jonathan alexande alexander alexandra alexander1 benjamin
  christian christina christine christopher elizabeth elizabeth1 victoria victoria1 samantha samantha1 stephanie
  danielle gabriel1 isabella isabella1 veronica patricia margaret catherine carolina fernando fernanda francisco
  sebastian santiago valentina mohammed mohammad muhammad ibrahim1 krishna1 krishna123 ganesh123 sairam123 jesus123
  jesuschrist jesus777 godisgood blessed1 blessing heavenly angel123 angelina angelica angelbaby babygirl babygirl1
  babyboy1 babydoll sweetheart sweetie1 sweetpea honeybee loveyou1 loveyou2 lovelove loveme123 lover123 lovely123
  beautiful beautiful1 butterfly butterfly1 butterflies flower123 flowers1 chocolate chocolate1 cookie123 cupcake1
  cheese123 banana123 orange123 strawberry pineapple blueberry summer12 summer123 summer2020 summer2021 summer2022
  summer2023 summer2024 summer2025 winter12 winter123 winter2023 winter2024 winter2025 spring123 spring2024 autumn123
  monday123 friday123 january1 february september september1 november november1 december december1 thursday saturday
  mustang1 mustang69 corvette corvette1 ferrari1 porsche1 mercedes mercedes1 yamaha123 harley12 harleydavidson
  thunder1 lightning midnight midnight1 moonlight starlight twilight hunter12 hunter123 fishing1 skateboard snowboard
  guitar123 metallica metallica1 slipknot slipknot1 eminem123 50cent123 blink182 greenday linkinpark nirvana1 rockstar
  rockstar1 rocknroll musiclover playstation playstation1 nintendo nintendo1 minecraft minecraft1 minecraft123 counterstrike
  warcraft worldofwarcraft fortnite fortnite1 callofduty xbox3600 gamer123 gameover1 samsung1 samsung123 motorola
  blackberry iphone123 google123 google1234 facebook facebook1 facebook123 myspace1 linkedin youtube1 youtube123 yahoo123
  hotmail1 hotmail123 microsoft windows1 windows7 windows10 linux123 ubuntu123 oracle123 database server123 network1
  security security1 security123 access14 access123 login123 login1234 letmelogin company123 office123 business
  business1 manager1 marketing marketing1 finance1 sales123 support1 support123 service1 service123 training training1
  student1 student123 teacher1 teacher123 school123 college1 university graduate america1 american1 australia australia1
  brazil123 canada123 england1 germany1 london123 newyork1 newyork123 california california1 florida1 texas123 chicago1
  bulldogs bulldog1 elephant elephant1 dolphin1 dolphins dolphins1 scorpion scorpion1 snoopy123 scooby123 scoobydoo
  mickey123 mickeymouse tinkerbell tinkerbell1 hellokitty hellokitty1 pussycat kittycat kitty123 puppy123 doggy123 buster12
  tigger12 tigger123 pepper12 ginger12 cookie12 maggie12 bailey12 jasmine1 diamond1 diamonds crystal1 precious precious1
  princesa princesa1 hermosa1 teamo123 teamomucho tequiero tequieromucho contraseña contrasena contrasena1 motdepasse
  motdepasse1 passwort passwort1 passwort123 hallo123 hallowelt geheim123 schatz123 wachtwoord wachtwoord1 salasana
  salasana1 losenord parola123 parola1234 senha123 senha1234 senha12345 mudar123 123mudar haslo123 haslo1234 heslo123
  parole123 jelszo123 sifre123 sifre1234 marina123 natasha1 aaaaaaaa aaaaaaaaa aaaaaaaaaa bbbbbbbb cccccccc dddddddd
  ssssssss xxxxxxxx xxxxxxxxxx zzzzzzzz qqqqqqqq 11111111a 1111aaaa aaaa1111 a11111111 1a2b3c4d 1a2s3d4f 1z2x3c4v 0okm9ijn
  !qaz2wsx !qaz@wsx 1qaz!qaz 1qaz@wsx zaq!2wsx !@#$%^&* !@#$%^&*( !@#$%^&*() ******** ........ @#$%^&*( --------
  correcthorsebatterystaple thisisapassword thisismypassword ihatepasswords ihateyou ihateyou1 fuckyou1 fuckyou2 fuckyou123
  fuckyou! fuckoff1 fuckthis asshole1 bullshit bullshit1 bitch123 dickhead motherfucker suckit123 biteme123 nothing1
  nothing123 something anything everything whocares whocares1 goodluck goodluck1 forever1 forever21 forever123 together
  remember remember1 sunflower sunflower1 rainbow1 rainbow123 bluesky1 blue1234 black123 green123 red12345 purple12
  purple123 yellow12 silver12 golden12 wildcats panthers panther1 tigers123 lions123 eagles123 warrior1 warriors fireball
  firefly1 phoenix1 phoenix123 predator terminator gladiator maverick maverick1 champion champion1 victory1 success1
  success123 lucky123 lucky777 money123 million1 billion1 bitcoin1 bitcoin123 reticle1 reticle123 annotation annotate1
  `
    .trim()
    .split(/\s+/),
)
